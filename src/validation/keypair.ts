import { isObject } from './field.js';

const MAX_BYTES = 4096;
const MAX_DEPTH = 8;

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Whether objects and arrays nest deeper than a limit. It does not recurse, so no value can exhaust the
 * stack.
 */
function deeperThan(limit: number, value: object): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) => Object.values(item).filter(isNested));
  }
  return false;
}

/**
 * The device metadata of a registration: a JSON object of at most 4 KiB and 8 levels, or a string
 * that holds one.
 *
 * @returns the object's JSON text; `undefined` when the value is something else
 */
export function keypairJson(value: unknown): string | undefined {
  let object = value;
  if (typeof value === 'string') {
    if (Buffer.byteLength(value) > MAX_BYTES) return undefined;
    try {
      object = JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  if (!isObject(object) || deeperThan(MAX_DEPTH, object)) return undefined;
  const json = JSON.stringify(object);
  return Buffer.byteLength(json) <= MAX_BYTES ? json : undefined;
}
