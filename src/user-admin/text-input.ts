import { Readable, pipeline } from 'node:stream';
import { CsvError, parse, type Options } from 'csv-parse';
import { ApiError } from '../platform/errors/api-error.js';

/** The maximum length of a line or record, in characters: names and passkeys are far shorter. */
export const MAX_LINE = 64 * 1024;

/** The byte order marks of UTF-16, which Excel and PowerShell 5 write. */
const MARKS = new Map([
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]);
const MARK_BYTES = 2;

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark. It is strict: with replacement characters for invalid bytes, a line
 * would name another user.
 */
export async function* decodeText(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let length = 0;
  const { first, all } = await readAhead(bytes, (chunk) => (length += chunk.length) >= MARK_BYTES);
  const mark = Buffer.concat(first).toString('hex', 0, MARK_BYTES);
  const decoder = new TextDecoder(MARKS.get(mark) ?? 'utf-8', { fatal: true });
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new ApiError('E0045R', 'file.notUtf8', {}, { cause: error });
    }
  };
  for await (const chunk of all) yield decode(chunk);
  yield decode();
}

interface CsvRecord<Fields> {
  readonly record: Fields;
  /** For a record that spans several lines, the last one. */
  readonly info: { readonly lines: number };
}

/**
 * Yields the records of a CSV file while it arrives.
 *
 * @throws ApiError E0045R for any other text
 */
export async function* csvRecords<Fields>(
  text: AsyncIterable<string>,
  options: Options,
): AsyncGenerator<CsvRecord<Fields>> {
  const parser = parse({
    ...options,
    info: true,
    max_record_size: MAX_LINE,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // Errors of the file and of the parser both reach the loop below through the parser.
  pipeline(Readable.from(text), parser, () => undefined);
  try {
    for await (const record of parser as AsyncIterable<CsvRecord<Fields>>) yield record;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ApiError('E0045R', 'file.notCsv', {}, { cause: error });
  }
}

/** Reads items until one of them suffices; returns these, and all items from the beginning. */
export async function readAhead<Item>(
  items: AsyncIterable<Item>,
  suffices: (item: Item) => boolean,
): Promise<{ first: readonly Item[]; all: AsyncGenerator<Item> }> {
  const iterator = items[Symbol.asyncIterator]();
  const first: Item[] = [];
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    first.push(next.value);
    if (suffices(next.value)) break;
  }
  async function* all(): AsyncGenerator<Item> {
    yield* first;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      yield next.value;
    }
  }
  return { first, all: all() };
}
