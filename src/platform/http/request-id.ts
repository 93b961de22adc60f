import { randomFillSync } from 'node:crypto';

/** Letters and digits that cannot be mistaken for each other when someone reads an ID out on the telephone. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 12;
const GROUP = 4;

/** Random bytes for the next 256 IDs: to ask for those of each ID took 1.5 % of a login's CPU time. */
const random = new Uint8Array(256 * LENGTH);
let used = random.length;

const GROUP_TYPED = '[2-9A-HJKMNP-TV-Z]{4}';
const TYPED = `(${GROUP_TYPED})([- ]?)(${GROUP_TYPED})\\2(${GROUP_TYPED})`;
const WHOLE = new RegExp(`^${TYPED}$`, 'i');
const AT_END = new RegExp(`(?<![\\w-])${TYPED}(?=\\W*$)`, 'i');

/**
 * A new ID of a request, for example `K7QF-2M9X-HD3R`. It is no secret, so it does not matter that some letters are a
 * little more frequent than others.
 */
export function newRequestId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  let id = '';
  for (let n = 0; n < LENGTH; n += 1) {
    const byte = random[used + n] ?? 0;
    const hyphen = n > 0 && n % GROUP === 0 ? '-' : '';
    id += hyphen + ALPHABET.charAt(byte % ALPHABET.length);
  }
  used += LENGTH;
  return id;
}

/**
 * The ID that a user typed, as it is stored: in any case, with hyphens, blanks or nothing between the groups. Every
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
