/**
 * Whether a thrown value is an error, judged by its members: errors of better-sqlite3 are not native ones,
 * and in a test, Node's own errors belong to another realm than `Error`.
 */
export const isError = (value: unknown): value is Error & { readonly code?: unknown } =>
  typeof value === 'object' && value !== null && 'message' in value && 'stack' in value;
