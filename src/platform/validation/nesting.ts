const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The objects and arrays one level further in. */
export const nextLevel = (level: readonly object[]): readonly object[] =>
  level.flatMap((item) => Object.values(item).filter(isNested));

/**
 * Whether the objects and arrays of a value nest in more levels than these. To be asked before something
 * recurses into a value that anybody may have sent: `JSON.stringify` throws at some thousand levels.
 */
export function nestsDeeper(value: object, levels: number): boolean {
  let level: readonly object[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = nextLevel(level);
  }
  return false;
}
