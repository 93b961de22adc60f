import { isError } from '../../errors/driver-errors.js';

const CODES = new Set(['ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);
const ORPHANS = new Set(['ER_NO_REFERENCED_ROW_2', 'SQLITE_CONSTRAINT_FOREIGNKEY']);

/** Whether a driver refused a row because another row has the same unique key. */
export function isUniqueViolation(error: unknown): boolean {
  return isError(error) && CODES.has(String(error.code));
}

/** @returns `false` also if another row has the same unique key: another instance was faster */
export async function falseIfTaken(committing: Promise<boolean>): Promise<boolean> {
  try {
    return await committing;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** Whether a driver refused a row because the row that it refers to does not exist. */
export function isOrphan(error: unknown): boolean {
  return isError(error) && ORPHANS.has(String(error.code));
}
