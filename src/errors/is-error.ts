/**
 * Whether somebody threw a real error. By its looks: those of better-sqlite3 are no native errors,
 * and those of Node itself are of another realm than a test's `Error`.
 */
export const isError = (value: unknown): value is Error & { readonly code?: unknown } =>
  typeof value === 'object' && value !== null && 'message' in value && 'stack' in value;
