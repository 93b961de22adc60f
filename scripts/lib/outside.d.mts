export const OUTSIDE: readonly string[];
