/** Splits a list into parts of at most `size` items. */
export const splitIntoParts = <T>(list: readonly T[], size: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, n) =>
    list.slice(n * size, (n + 1) * size),
  );

const SIZES = [64, 8, 1];

/** Splits the rows of statements into parts of few different sizes, so that few different statements are prepared. */
export function inFewSizes<T>(rows: readonly T[]): T[][] {
  const parts: T[][] = [];
  let at = 0;
  for (const size of SIZES) {
    for (; at + size <= rows.length; at += size) parts.push(rows.slice(at, at + size));
  }
  return parts;
}
