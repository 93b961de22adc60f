import { isObject, parsedJson } from '../field-validator.js';
import { nestsDeeper } from '../nesting.js';
import { isText } from './texts.js';

const MAX_BYTES = 4096;
const MAX_DEPTH = 8;

/**
 * The device metadata of a registration: a JSON object of at most 4 KiB and 8 levels, or a string
 * that contains one.
 *
 * @returns the object's JSON text; `undefined` if the value is anything else
 */
export function keypairJson(value: unknown): string | undefined {
  let object = value;
  if (typeof value === 'string') {
    if (Buffer.byteLength(value) > MAX_BYTES) return undefined;
    object = parsedJson(value);
  }
  if (!isObject(object) || nestsDeeper(object, MAX_DEPTH)) return undefined;
  const json = JSON.stringify(object);
  return Buffer.byteLength(json) <= MAX_BYTES && isText(json) ? json : undefined;
}
