import { randomText } from '../../platform/common/random.js';
import type { KeyRights } from '../../platform/access/accounts/account.js';
import type { CallerSession } from './stores/ceremony-store.js';

const NAME_BYTES = 28;
/** Base64URL of a name. */
const FORM = /^[\w-]{38}$/;

/** The session of an application's ceremony. It is not named by a cookie. */
export interface KeySession extends CallerSession {
  /** Sent in the answer of the begin call and repeated in the result call. */
  readonly ceremony: string;
}

/** Returns a new session that belongs to the application key: the same name under another key is another session. */
export function newKeySession(key: KeyRights, callers: readonly string[]): KeySession {
  const ceremony = randomText(NAME_BYTES);
  return { ceremony, id: sessionOf(key, ceremony), callers };
}

/** The session that a result call names; `undefined` if it names none. */
export const namedKeySession = (key: KeyRights, ceremony: unknown): string | undefined =>
  typeof ceremony === 'string' && FORM.test(ceremony) ? sessionOf(key, ceremony) : undefined;

const sessionOf = ({ id }: KeyRights, ceremony: string): string => `${id}.${ceremony}`;
