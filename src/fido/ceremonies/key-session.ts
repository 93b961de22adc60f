import { hash } from 'node:crypto';
import { randomText } from '../../common/random.js';
import type { KeyRights } from '../../security/account.js';
import { markOf } from './caller-mark.js';

const NAME_BYTES = 24;
/** Base64URL of a name, and the mark of its caller. */
const FORM = /^[\w-]{38}$/;

/** An application's ceremony has a session of its own, which no cookie names. */
export interface KeySession {
  /** For the answer of the begin call, to come back in the result call. */
  readonly ceremony: string;
  /** Where the ceremony waits. */
  readonly id: string;
}

/**
 * A new session of an application, which belongs to its key: what another key names is another session.
 *
 * @param caller whom the limits count, for the store to be fair among callers
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
