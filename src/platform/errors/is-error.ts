/**
 * Whether a thrown value is an error, judged by its members: errors of better-sqlite3 are not native ones,
 * and those of Node itself belong to another realm than `Error` in a test.
 */
export const isError = (value: unknown): value is Error & { readonly code?: unknown } =>
  typeof value === 'object' && value !== null && 'message' in value && 'stack' in value;
