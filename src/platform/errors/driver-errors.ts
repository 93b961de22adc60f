import type { Code } from './catalogue.js';
import type { Reason } from './reasons.js';

/**
 * Whether a thrown value is an error, judged by its members: errors of better-sqlite3 are not native ones,
 * and in a test, Node's own errors belong to another realm than `Error`.
 */
export const isError = (value: unknown): value is Error & { readonly code?: unknown } =>
  typeof value === 'object' && value !== null && 'message' in value && 'stack' in value;

/** An error with a code that drivers use for such failures. */
export const codedError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

export const messageOfError = (error: unknown): string =>
  isError(error) ? error.message : String(error);

const OUTCOME_UNKNOWN = 'OUTCOME_UNKNOWN';

/** Codes that database and Redis drivers report if the server is away, hangs or refuses to work. */
const UNAVAILABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'POOL_EXHAUSTED',
  OUTCOME_UNKNOWN,
  'UNSAFE_SESSION',
  'ER_UNKNOWN_COM_ERROR', // 1047: a Galera node that is not part of the primary component
  'ER_ERROR_DURING_COMMIT',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_LOCK_DEADLOCK',
  'ER_SP_DOES_NOT_EXIST', // 1305: a Galera node undid the transaction
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_OPTION_PREVENTS_STATEMENT', // 1290: read_only
  'ER_READ_ONLY_MODE', // 1836
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_SERVER_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'ER_QUERY_INTERRUPTED',
  'ER_CLIENT_INTERACTION_TIMEOUT',
]);

/** The same for SQLite, whose codes may continue after these: `SQLITE_IOERR_WRITE`. */
const UNAVAILABLE_SQLITE = /^SQLITE_(?:BUSY|LOCKED|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)/;

const FULL = new Set([
  'SQLITE_FULL',
  'ENOSPC',
  'EDQUOT',
  'ER_DISK_FULL', // 1021
  'ER_RECORD_FILE_FULL', // 1114
  'ER_DISK_FULL_NOWAIT',
]);

/** Messages of mysql2 and ioredis for errors that have no code. */
const UNAVAILABLE_WORDS =
  /queue limit reached|closed state|pool is closed|max retries per request|connection is closed/i;

/** Messages in which storage engines report ENOSPC (28), under many codes. */
const FULL_WORDS = /(?:errno:|error) 28\b|no space left/i;

/** The reason of a driver's error, if it is more specific than its code's. */
export const reasonOfDriverError = (error: unknown): Reason | undefined =>
  isError(error) && error.code === OUTCOME_UNKNOWN ? 'server.outcomeUnknown' : undefined;

/** The catalogue's code for an error that a driver threw; `undefined` if it is none of these. */
export function codeOfDriverError(error: unknown): Code | undefined {
  if (!isError(error)) return undefined;
  const code = typeof error.code === 'string' ? error.code : '';
  const { message } = error;
  if (FULL.has(code) || (code.startsWith('ER_') && FULL_WORDS.test(message))) return 'E0051R';
  const away =
    UNAVAILABLE.has(code) || UNAVAILABLE_SQLITE.test(code) || UNAVAILABLE_WORDS.test(message);
  return away ? 'E0052R' : undefined;
}
