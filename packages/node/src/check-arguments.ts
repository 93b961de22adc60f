import {
  checkMembers,
  checkValue,
  mayBeUndefined,
  textRule,
  wholeNumberRule,
  type MemberRules,
  type ValueRule,
} from './check-members.js';
import type * as T from './types.js';

/** Rules of arguments of the client's methods, by their names. */
const ARGUMENTS = {
  // The server refuses all other values: a page may have sent them.
  body: { mustBe: 'the JSON object of the call', accepts: (value) => value !== undefined },
  ticket: {
    mustBe: 'an object, for example { username }',
    accepts: (value) => typeof value === 'object' && value !== null,
  },
  username: textRule('the name of one user'),
  credentialId: textRule('the ID of one key'),
  after: textRule(
    "`next` of the previous answer, or '0' for the oldest event; listEvents() returns the newest",
  ),
} satisfies Readonly<Record<string, ValueRule>>;

/** `Headers.get` returns `null` if a request has no such header. */
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

const CALL_OPTIONS: MemberRules<T.ResultOptions> = {
  clientAddress: mayBeUndefined({ mustBe: 'an IP address', accepts: isTextOrNull }),
  signal: mayBeUndefined({
    mustBe: 'an AbortSignal',
    accepts: (value) => value === null || value instanceof AbortSignal,
  }),
  idempotencyKey: mayBeUndefined({ mustBe: 'a text', accepts: isTextOrNull }),
};

const PAGE: MemberRules<Pick<T.UserQuery, 'limit' | 'cursor'>> = {
  limit: mayBeUndefined(wholeNumberRule('results', 1000)),
  // A loop over the pages begins without a cursor.
  cursor: mayBeUndefined(textRule('`next` of the previous page')),
};

const USER_QUERY: MemberRules<T.UserQuery> = {
  filter: textRule('a user name, in which * matches any characters'),
  device: textRule('the name of a key or a credential ID, in which * matches any characters'),
  ...PAGE,
};

const TIME = textRule('a day or a time, for example 2026-01-31');

const EVENT_QUERY: MemberRules<T.EventQuery> = {
  user: textRule('a user name'),
  requestId: textRule('the ID of a request'),
  from: TIME,
  to: TIME,
  outcome: {
    mustBe: "'ok' or 'refused'",
    accepts: (value) => value === 'ok' || value === 'refused',
  },
  ...PAGE,
};

/** Throws a TypeError that names the argument if it is wrong. */
export const checkArgument = (name: keyof typeof ARGUMENTS, value: unknown): void =>
  checkValue(`"${name}"`, value, ARGUMENTS[name]);

/** Throws a TypeError if an option of a call is unknown or wrong. */
export const checkCallOptions = (options: unknown): void =>
  checkMembers('options', options, CALL_OPTIONS);

/** Throws a TypeError if an option of `readEvents` is unknown or wrong. */
export const checkReadOptions = (options: unknown): void =>
  checkMembers('options', options, { ...CALL_OPTIONS, limit: PAGE.limit });

/** Throws a TypeError if a filter of users is unknown, wrong or `undefined`: it would match everybody. */
export const checkUserQuery = (query: unknown): void => checkMembers('query', query, USER_QUERY);

/** Throws a TypeError if a filter of events is unknown, wrong or `undefined`: it would match all events. */
export const checkEventQuery = (query: unknown): void => checkMembers('query', query, EVENT_QUERY);
