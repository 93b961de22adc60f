import type { Request } from 'express';
import type { SessionData } from 'express-session';
import { randomText } from '../../platform/common/random.js';
import type { ApplicationKeyGrant } from '../../platform/access/accounts/account.js';
import type { Caller } from '../limits/rate-limits.js';
import type { CallerSession } from './stores/ceremony-store.js';

const NAME_BYTES = 28;
/** Base64URL of a name. */
const FORM = /^[\w-]{38}$/;

/** The session of the cookie: its name, and whether a ceremony was ever begun in it. */
export interface CookieSession extends Pick<SessionData, 'begun'> {
  readonly id: string;
}

export interface BeginCaller {
  readonly session: CallerSession;
  /** The request's header `Authorization`, which may contain the token of a sign-in. */
  readonly authorization: string | undefined;
  /** Set for an application, whose backend has signed the user in. */
  readonly key: ApplicationKeyGrant | undefined;
}

/** The session in which a ceremony waits: the one of the cookie, or a new one for an application. */
export function sessionFor({ key, callers }: Caller, { id }: CookieSession): CallerSession {
  if (!key) return { id, callers };
  const sessionName = randomText(NAME_BYTES);
  return { id: keySessionId(key, sessionName), callers, sessionName };
}

/** The caller of a begin call; the ceremony will wait in the session. */
export const beginCallerOf = (
  { headers: { authorization } }: Request,
  caller: Caller,
  cookie: CookieSession,
): BeginCaller => ({ session: sessionFor(caller, cookie), authorization, key: caller.key });

/** The ID of the session that an application names in a result call; `undefined` if it names none. */
export const namedKeySession = (key: ApplicationKeyGrant, name: unknown): string | undefined =>
  typeof name === 'string' && FORM.test(name) ? keySessionId(key, name) : undefined;

/** The session belongs to the application key: the same name under another key is another session. */
const keySessionId = ({ id }: ApplicationKeyGrant, name: string): string => `${id}.${name}`;

/** The options of a begin call, with the session's name for an application. */
export const withSessionName = <Options extends object>(
  options: Options,
  { sessionName }: CallerSession,
) => (sessionName === undefined ? options : { ...options, ceremony: sessionName });

/**
 * The begin call's answer. It sets the session cookie or, for an application, contains the session's name.
 *
 * @param more warnings, beside those of the options
 */
export function beginAnswer<Options extends { readonly warnings?: readonly string[] | undefined }>(
  cookie: CookieSession,
  session: CallerSession,
  options: Options,
  more: readonly string[],
) {
  if (session.sessionName === undefined) cookie.begun = true;
  const warned =
    more.length > 0 ? { ...options, warnings: [...(options.warnings ?? []), ...more] } : options;
  return withSessionName(warned, session);
}
