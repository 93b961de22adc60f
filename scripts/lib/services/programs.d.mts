/** See programs.mjs. */
export function findProgram(...names: readonly string[]): string | undefined;
export function freePort(): Promise<number>;
