import { StringDecoder } from 'node:string_decoder';
import { problem, type Problem } from '../../errors/reasons.js';
import { isText } from './texts.js';

/**
 * Control, format (zero-width, bidirectional, soft hyphen), line separator, variation selector and filler
 * characters, and halves of surrogate pairs: with them, different names could look the same.
 */
export const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F\uFFA0\u{E0000}-\u{E0FFF}]/u;

/** Bytes of UTF-8 that a user name or display name may have. */
export const MAX_NAME_BYTES = 255;

export const nameProblem = (field: string): Problem =>
  problem('field.name', { field, most: MAX_NAME_BYTES });

/**
 * Characters that join or shape those around them. Sinhala, Persian and many other names are misspelt without
 * them, and emoji consist of them. Display names may contain them, since they are not compared.
 */
const JOINING = /\u200C|\u200D|\p{Variation_Selector}/gu;
const BYTE_ORDER_MARK = '\uFEFF';

export const displayNameProblem = (field: string): Problem =>
  problem('field.displayName', { field, most: MAX_NAME_BYTES });

/**
 * Names of accounts. RFC 7617 §2: a user-id contains no colon. Browsers take `.` and `..` for parts of a path, so that
 * the page of such an account cannot be opened.
 */
export const isAccountName = (value: unknown): value is string =>
  isName(value) && !value.includes(':') && value !== '.' && value !== '..';

/** A user name in NFC. All comparisons of user names are byte for byte in this form. */
export const normalizeName = (name: string): string => name.normalize('NFC');

/** The beginning of a text, of at most `maxBytes` bytes of UTF-8, cut between two characters. */
export function truncateUtf8(maxBytes: number, text: string): string {
  if (text.length * 3 <= maxBytes) return text;
  return new StringDecoder('utf8').write(Buffer.from(text, 'utf8').subarray(0, maxBytes));
}

/** A display name in the stored and displayed form: in NFC, without white space around it. */
export const displayNameOf = (name: string): string => normalizeName(name.trim());

export function isDisplayName(value: unknown): value is string {
  if (!isText(value)) return false;
  // JavaScript trims a byte order mark as white space; to Unicode it is an invisible character.
  if (value.includes(BYTE_ORDER_MARK)) return false;
  const name = displayNameOf(value);
  if (name.length > MAX_NAME_BYTES || Buffer.byteLength(name) > MAX_NAME_BYTES) return false;
  const visible = name.replace(JOINING, '');
  return visible.trim() !== '' && !INVISIBLE.test(visible);
}

export const isName = (value: unknown): value is string => isKnownName(value) && isText(value);

/** Whether a user may have the name: also one with noncharacters, which version 1.0 allowed. */
export function isKnownName(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME_BYTES) return false;
  if (!value.isWellFormed() || INVISIBLE.test(value) || value.trim() !== value) return false;
  return Buffer.byteLength(normalizeName(value), 'utf8') <= MAX_NAME_BYTES;
}

const MAX_SUBJECT_BYTES = 64;

export const subjectProblem = (field: string): Problem =>
  problem('field.utf8', { field, most: MAX_SUBJECT_BYTES });

/** Whether the value can be a user ID: the user's ID at the customer's own application. */
export function isSubject(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || !value.isWellFormed()) return false;
  return Buffer.byteLength(value, 'utf8') <= MAX_SUBJECT_BYTES;
}
