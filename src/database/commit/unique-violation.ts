import { isError } from '../../errors/is-error.js';

const CODES = new Set(['ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);

/** Whether a driver refused a row because another has its key already. */
export function isUniqueViolation(error: unknown): boolean {
  return isError(error) && CODES.has(String(error.code));
}
