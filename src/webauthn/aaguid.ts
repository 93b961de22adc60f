/** The AAGUID that authenticators without one send, in particular U2F authenticators. */
export const NO_AAGUID = '00000000-0000-0000-0000-000000000000';

/** An AAGUID of 16 bytes as a hyphenated UUID in lower case. */
export function aaguidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return `${parts.join('-')}-${hex.slice(20)}`;
}

/** The 16 bytes of an AAGUID in the form of `aaguidText`. */
export function aaguidBytes(text: string): Buffer {
  return Buffer.from(text.replaceAll('-', ''), 'hex');
}

const TEXT = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether the value is an AAGUID as a hyphenated UUID, in either case. */
export const isAaguidText = (value: unknown): value is string =>
  typeof value === 'string' && TEXT.test(value);
