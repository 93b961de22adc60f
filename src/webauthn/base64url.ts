/**
 * Decodes Base64URL without padding (RFC 4648 §5, WebAuthn L3 §3 "Base64url Encoding"). Node's decoder accepts
 * several encodings of one value; encoding again and comparing refuses all but the canonical one.
 *
 * @returns the bytes, or `undefined` if the text is empty or not canonical
 */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === text ? bytes : undefined;
}
