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

/** What is usually wrong with a text that should be Base64URL. */
export type Base64UrlMistake = 'padded' | 'plain';

/** Whether a text is Base64URL with padding, or plain Base64; `undefined` for any other text. */
export function base64UrlMistake(text: unknown): Base64UrlMistake | undefined {
  if (typeof text !== 'string') return undefined;
  const unpadded = text.replace(/={1,2}$/, '');
  if (unpadded !== text && decodeBase64Url(unpadded)) return 'padded';
  const converted = unpadded.replaceAll('+', '-').replaceAll('/', '_');
  return converted !== unpadded && decodeBase64Url(converted) ? 'plain' : undefined;
}
