import type { Code } from './catalogue.js';

/** What database and Redis drivers report when the other side is away, hangs or refuses to work. */
const UNAVAILABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'POOL_CLOSED',
  'POOL_QUEUE_LIMIT',
  'ER_UNKNOWN_COM_ERROR', // 1047: a Galera node that is not part of the primary component
  'ER_CON_COUNT_ERROR',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_OPTION_PREVENTS_STATEMENT', // read_only
  'ER_SERVER_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'SQLITE_BUSY',
  'SQLITE_IOERR',
  'SQLITE_READONLY',
  'STORE_UNAVAILABLE',
]);

const FULL = new Set(['SQLITE_FULL', 'ENOSPC', 'ER_DISK_FULL', 'ER_RECORD_FILE_FULL']);

/** What mysql2 and ioredis say in words only. */
const UNAVAILABLE_WORDS =
  /queue limit reached|closed state|pool is closed|max retries per request/i;

/** The catalogue's code for an error that a driver threw; `undefined` when it is none of these. */
export function codeOfDriverError(error: unknown): Code | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (FULL.has(code)) return 'E0051R';
  if (UNAVAILABLE.has(code) || UNAVAILABLE_WORDS.test(error.message)) return 'E0052R';
  return undefined;
}
