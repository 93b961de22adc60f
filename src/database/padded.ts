/** Up to here lists grow by doubling, then by this much. */
const LARGEST_DOUBLING = 1024;

/**
 * The same list with its last element repeated, so that lists behind `IN` have few lengths, and
 * statements few texts: as a condition it says the same.
 */
export function padded<T>(list: readonly T[]): readonly T[] {
  const last = list.at(-1);
  if (last === undefined) return list;
  return [...list, ...Array<T>(paddedLength(list.length) - list.length).fill(last)];
}

const paddedLength = (length: number): number =>
  length > LARGEST_DOUBLING
    ? Math.ceil(length / LARGEST_DOUBLING) * LARGEST_DOUBLING
    : 2 ** Math.ceil(Math.log2(length));

/** A `?` for each. */
export const marksOf = (list: readonly unknown[]): string => list.map(() => '?').join(', ');
