/** Up to this length lists are padded to powers of two, beyond it to multiples of this length. */
const LARGEST_DOUBLING = 1024;

/**
 * The same list with its last element repeated, so that lists after `IN` have few different lengths, and
 * statements few different texts. The condition stays the same.
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

/** A `?` for each element, for a list after `IN`. */
export const marksOf = (list: readonly unknown[]): string => list.map(() => '?').join(', ');
