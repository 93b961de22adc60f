/**
 * Whether a value is a list of at least one item and at most so many, none twice.
 *
 * @param fits whether an item is one that may stand there
 */
export const isListOf = (
  value: unknown,
  most: number,
  fits: (item: unknown) => boolean,
): value is unknown[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= most &&
  new Set(value).size === value.length &&
  value.every(fits);
