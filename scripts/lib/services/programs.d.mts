/** See programs.mjs. */
export function findProgram(...names: readonly string[]): string | undefined;
