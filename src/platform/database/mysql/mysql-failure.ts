import { isError } from '../../errors/driver-errors.js';

/**
 * What an error means for the statements sent:
 * - `rolled-back`: they are undone, because of a conflict with others; worth retrying;
 * - `not-executed`: they never ran; worth sending to another connection;
 * - `silent`: the server received them and did not answer in time;
 * - `lost`: the connection broke during execution;
 * - `refused`: the server rejected them, and would again.
 */
type MysqlFailure = 'rolled-back' | 'not-executed' | 'silent' | 'lost' | 'refused';

/** 4031: MySQL 8 had closed the connection, which was idle for longer than `wait_timeout`, before it read anything. */
const IDLE = 'ER_CLIENT_INTERACTION_TIMEOUT';

const KINDS: Readonly<Record<string, MysqlFailure>> = {
  ER_LOCK_DEADLOCK: 'rolled-back', // 1213: also a conflict between Galera nodes
  ER_SP_DOES_NOT_EXIST: 'rolled-back', // 1305: the savepoint that a conflict between Galera nodes has removed
  ER_LOCK_WAIT_TIMEOUT: 'rolled-back', // 1205: undoes the statement; we roll back the rest
  ER_UNKNOWN_COM_ERROR: 'not-executed', // 1047: a Galera node without its primary component
  ER_CON_COUNT_ERROR: 'not-executed',
  [IDLE]: 'not-executed',
  ECONNREFUSED: 'not-executed',
  ETIMEDOUT: 'not-executed', // mysql2 reports it only while connecting
  POOL_EXHAUSTED: 'silent',
  PROTOCOL_SEQUENCE_TIMEOUT: 'silent',
  UNSAFE_SESSION: 'refused',
  ER_ERROR_DURING_COMMIT: 'lost', // 1180: for example Galera lost its quorum
  ER_SERVER_SHUTDOWN: 'lost',
  ER_CONNECTION_KILLED: 'lost',
  ER_QUERY_INTERRUPTED: 'lost',
};

/** Messages of mysql2's errors that have no code: the connection was closed before it was used. */
const NEVER_SENT = /closed state|queue limit reached|pool is closed/i;

/** @param error from mysql2; errors of the server have an SQL state, errors of the connection only a code */
export function mysqlFailureOf(error: unknown): MysqlFailure {
  if (!isError(error)) return 'refused';
  if (NEVER_SENT.test(error.message)) return 'not-executed';
  if (!('code' in error)) return 'refused';
  return KINDS[String(error.code)] ?? (isAnswer(error) ? 'refused' : 'lost');
}

/** Whether the error is the server's answer, so that the connection still works. */
export const isAnswer = (error: unknown): boolean =>
  isError(error) && 'sqlState' in error && error.code !== IDLE;

const READ_ONLY = new Set([
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
]);

/** Whether the server only allows reading: it may have been demoted, and its address may lead to another one by now. */
export const isReadOnly = (error: unknown): boolean =>
  isError(error) && READ_ONLY.has(String(error.code));
