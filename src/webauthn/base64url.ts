/**
 * Decodes Base64URL without padding (RFC 4648 §5, WebAuthn L3 §3 "Base64url Encoding"). Node's decoder takes many
 * spellings of one value; encoding again and comparing refuses every spelling but one.
 *
 * @returns the bytes, or undefined when the text is empty or not the canonical spelling
 */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === text ? bytes : undefined;
}
