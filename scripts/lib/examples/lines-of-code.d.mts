/** See lines-of-code.mjs. */
export function linesOfCode(folder: string): number;
