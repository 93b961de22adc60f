const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

const nextLevel = (level: readonly object[]): readonly object[] =>
  level.flatMap((item) => Object.values(item).filter(isNested));

/**
 * Whether objects and arrays are nested more deeply than this. Call it before any recursion into an untrusted value:
 * `JSON.stringify` throws at some thousand levels.
 */
export function nestsDeeper(value: object, levels: number): boolean {
  let level: readonly object[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = nextLevel(level);
  }
  return false;
}

const MAX_DEPTH = 16;
const MAX_KEYS = 500;
const SPECIAL = ['constructor', '__proto__'];

/**
 * Whether class-transformer may copy a value. Its recursion overflows the stack at 5,000 levels, it takes 21
 * ms for 6,000 keys, it treats a member named `constructor` as the class, and it drops `__proto__`.
 *
 * @returns false for more than 16 levels, more than 500 keys, or a member with one of these names
 */
export function isCopyable(value: object): boolean {
  let keys = 0;
  let level: readonly object[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    for (const object of level) {
      if (Array.isArray(object)) continue;
      keys += Object.keys(object).length;
      if (keys > MAX_KEYS || SPECIAL.some((name) => Object.hasOwn(object, name))) return false;
    }
    level = nextLevel(level);
  }
  return true;
}
