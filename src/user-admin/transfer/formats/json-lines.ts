import { ApiError } from '../../../platform/errors/api-error.js';
import { isObject, parsedJson } from '../../../platform/validation/field-validator.js';

/** An object of a file, or why the record is not an object. */
export type JsonItem = { readonly line: number } & (
  { readonly value: Readonly<Record<string, unknown>> } | { readonly fault: ApiError }
);

/** The maximum length of a record: a user with a hundred large keys and their metadata is shorter. */
export const MAX_RECORD_BYTES = 2 * 1024 * 1024;

const LF = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Yields the objects of JSON Lines: one per line, in UTF-8; empty lines are skipped. For a line that is not
 * an object it yields a fault and continues. Memory contains one line, and no part of a line that is too
 * long.
 */
export async function* jsonLines(file: AsyncIterable<Buffer>): AsyncGenerator<JsonItem> {
  let line = 0;
  let parts: Buffer[] = [];
  let size = 0;
  const taken = (last: Buffer): JsonItem | undefined => {
    line += 1;
    const all = [...parts, last];
    const bytes = size + last.length;
    parts = [];
    size = 0;
    return itemOf(line, bytes > MAX_RECORD_BYTES ? undefined : Buffer.concat(all));
  };
  for await (const chunk of file) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      const item = taken(chunk.subarray(from, end));
      if (item) yield item;
      from = end + 1;
    }
    size += chunk.length - from;
    if (size > MAX_RECORD_BYTES) parts = [];
    else if (from < chunk.length) parts.push(Buffer.from(chunk.subarray(from)));
  }
  const last = size > 0 ? taken(Buffer.alloc(0)) : undefined;
  if (last) yield last;
}

/**
 * Parses the bytes of one record.
 *
 * @param bytes `undefined` if the record is too long
 * @returns `undefined` for an empty line
 */
export function itemOf(line: number, bytes: Buffer | undefined): JsonItem | undefined {
  if (!bytes) {
    return {
      line,
      fault: new ApiError('E0045R', 'import.recordTooLong', { most: MAX_RECORD_BYTES }),
    };
  }
  const marked = line === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
  const text = decodeText(marked ? bytes.subarray(3) : bytes);
  if (text === undefined) return { line, fault: new ApiError('E0045R', 'import.recordNotUtf8') };
  if (text.trim() === '') return undefined;
  const value = parsedJson(text);
  return isObject(value)
    ? { line, value }
    : { line, fault: new ApiError('E0045R', 'import.recordNotObject') };
}

const DECODER = new TextDecoder('utf-8', { fatal: true });

function decodeText(bytes: Buffer): string | undefined {
  try {
    return DECODER.decode(bytes);
  } catch {
    return undefined;
  }
}
