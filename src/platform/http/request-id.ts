import { randomBytes } from 'node:crypto';

/** Letters and digits that cannot be mistaken for each other when someone reads an ID out on the telephone. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 12;
const GROUP_BEFORE_ANOTHER = /.{4}(?=.)/g;

const GROUP_TYPED = '[2-9A-HJKMNP-TV-Z]{4}';
const TYPED = `(${GROUP_TYPED})([- ]?)(${GROUP_TYPED})\\2(${GROUP_TYPED})`;
const WHOLE = new RegExp(`^${TYPED}$`, 'i');
const AT_END = new RegExp(`(?<![\\w-])${TYPED}(?=\\W*$)`, 'i');

/**
 * A new ID of a request, for example `K7QF-2M9X-HD3R`. It is no secret, so it does not matter that some letters are a
 * little more frequent than others.
 */
export function newRequestId(): string {
  let id = '';
  for (const byte of randomBytes(LENGTH)) id += ALPHABET.charAt(byte % ALPHABET.length);
  return id.replace(GROUP_BEFORE_ANOTHER, '$&-');
}

/**
 * The ID that a person typed, as it is stored: in any case, with hyphens, blanks or nothing between the groups. Every
 * other text stays as it is, since case matters in the IDs of version 1.0.
 */
export const readRequestId = (typed: string): string => stored(WHOLE.exec(typed.trim())) ?? typed;

/** The ID at the end of a text: users paste it together with its label. */
export const requestIdIn = (text: string): string | undefined =>
  stored(AT_END.exec(text)) ?? text.match(/[\w-]+/g)?.at(-1);

function stored(groups: RegExpExecArray | null): string | undefined {
  const [, first, , second, third] = groups ?? [];
  return first && `${first}-${second}-${third}`.toUpperCase();
}
