import { hash } from 'node:crypto';
import { randomText } from '../../common/random.js';
import type { KeyRights } from '../../security/account.js';
import { markOf } from './caller-mark.js';

const NAME_BYTES = 24;
/** Base64URL of a name, and the mark of its caller. */
const FORM = /^[\w-]{38}$/;

/** An application's ceremony has a session of its own, which no cookie names. */
export interface KeySession {
  /** Sent in the answer of the begin call; the result call sends it back. */
  readonly ceremony: string;
  /** The session in which the ceremony waits. */
  readonly id: string;
}

/**
 * A new session of an application, which belongs to its key: the same name under another key is another
 * session.
 *
 * @param caller the one that the limits count, so that the store can be fair among callers
 */
export function newKeySession(key: KeyRights, caller: string): KeySession {
  const mark = markOf(hash('sha256', caller, 'base64url'));
  const ceremony = randomText(NAME_BYTES) + mark;
  return { ceremony, id: sessionOf(key, ceremony) };
}

/** The session that a result call names; `undefined` where it names none. */
export const namedKeySession = (key: KeyRights, ceremony: unknown): string | undefined =>
  typeof ceremony === 'string' && FORM.test(ceremony) ? sessionOf(key, ceremony) : undefined;

const sessionOf = ({ id }: KeyRights, ceremony: string): string => `${id}.${ceremony}`;
