/**
 * Whether a value is a list of at least one and at most `most` items, none of them twice.
 *
 * @param fits whether an item is allowed
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
