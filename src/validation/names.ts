/**
 * Control, format (zero-width, bidirectional, soft hyphen), line separator, variation selector and
 * filler characters: whatever makes two names look the same, or one name look like another.
 */
const FORBIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F\uFFA0\u{E0000}-\u{E0FFF}]/u;

/** Bytes of UTF-8 that a user name or display name may have. */
export const MAX_NAME_BYTES = 255;

export const NAME_RULE =
  `must be a string of 1 to ${MAX_NAME_BYTES} bytes of UTF-8, without control, invisible or ` +
  'direction characters and without white space at either end';

/** User names are compared byte for byte after this, everywhere. */
export const normalizeName = (name: string): string => name.normalize('NFC');

/** Whether the value can be a user name or a display name. */
export function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME_BYTES) return false;
  if (!value.isWellFormed() || FORBIDDEN.test(value) || value.trim() !== value) return false;
  return Buffer.byteLength(normalizeName(value), 'utf8') <= MAX_NAME_BYTES;
}
