import { Readable, pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { jsonElements } from './json-elements.js';
import { jsonLines, type JsonItem } from './json-lines.js';
import type { SourceKey, SourceRecord, SourceUser } from './source.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import { decodeText } from '../../lists/list-file.js';

/** The maximum number of characters in a record: a passkey has far fewer. */
const MAX_RECORD = 64 * 1024;

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/**
 * Yields the rows of a CSV file, by column name; in UTF-8 (a BOM is allowed). An empty field counts as absent: CSV
 * does not distinguish an empty text from none.
 *
 * @throws ApiError E0045R for any other file
 */
async function* csvRows(file: AsyncIterable<Buffer>): AsyncGenerator<JsonItem> {
  const parser = parse({
    bom: true,
    columns: (names: readonly string[]) => names.map((name) => name.trim()),
    info: true,
    max_record_size: MAX_RECORD,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // Errors of the file and of the parser both reach the loop below through the parser.
  pipeline(Readable.from(decodeText(file)), parser, () => undefined);
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      yield { line: info.lines, value: withoutEmpty(record) };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ApiError('E0045R', 'file.notCsv', {}, { cause: error });
  }
}

const withoutEmpty = (record: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''));

/** The maximum number of rows of a user that are combined; further rows become another record of the same user. */
const MOST_TOGETHER = 101;
const [OPEN_ARRAY, OPEN_OBJECT, SPACE] = [0x5b, 0x7b, 0x20];
const BYTE_ORDER_MARK = new Set([0xef, 0xbb, 0xbf]);

/** Yields the rows of a table: a JSON array of objects, JSON Lines, or CSV, detected by the beginning of the file. */
export async function* tableRows(file: AsyncIterable<Buffer>): AsyncGenerator<JsonItem> {
  const { first, whole } = await peeked(file);
  if (first === OPEN_ARRAY) yield* jsonElements(whole, {});
  else yield* first === OPEN_OBJECT ? jsonLines(whole) : csvRows(whole);
}

/** Returns the first byte that is neither white space nor part of a BOM, and the file from its beginning. */
async function peeked(file: AsyncIterable<Buffer>) {
  const chunks = file[Symbol.asyncIterator]();
  const seen: Buffer[] = [];
  let first: number | undefined;
  while (first === undefined) {
    const { value, done } = await chunks.next();
    if (done) break;
    seen.push(value);
    first = value.find((byte) => byte > SPACE && !BYTE_ORDER_MARK.has(byte));
  }
  async function* whole(): AsyncGenerator<Buffer> {
    yield* seen.splice(0);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  return { first, whole: whole() };
}

/** Reads a row as a user with one key, or with several if rows contain more. */
type RowReader = (row: Readonly<Record<string, unknown>>) => SourceUser;

/**
 * Yields users from rows of keys. Successive rows with the same user name are combined, with all of their
 * handles, since some servers create a handle for each key.
 */
export async function* usersOfRows(
  rows: AsyncIterable<JsonItem>,
  read: RowReader,
): AsyncGenerator<SourceRecord> {
  let open: UserRows | undefined;
  for await (const item of rows) {
    if ('fault' in item) {
      yield item;
      continue;
    }
    const { line } = item;
    const user = read(item.value);
    if (open?.takes(user)) {
      open.add(user);
      continue;
    }
    if (open) yield open.record;
    open = new UserRows(line, user);
  }
  if (open) yield open.record;
}

class UserRows {
  private readonly keys: SourceKey[];
  private readonly handles: (Buffer | undefined)[];

  constructor(
    private readonly line: number,
    private readonly user: SourceUser,
  ) {
    this.keys = [...user.keys];
    this.handles = [...user.handles];
  }

  takes({ username }: SourceUser): boolean {
    return username === this.user.username && this.keys.length < MOST_TOGETHER;
  }

  add({ keys, handles }: SourceUser): void {
    this.keys.push(...keys);
    for (const handle of handles) {
      const isKnown = this.handles.some((one) => handle && one?.equals(handle));
      if (!isKnown) this.handles.push(handle);
    }
  }

  get record(): SourceRecord {
    return { line: this.line, user: { ...this.user, keys: this.keys, handles: this.handles } };
  }
}

/** The first of several columns in which a row has a value; `null` counts as absent. */
export function firstOf(row: Readonly<Record<string, unknown>>, ...names: readonly string[]) {
  const name = names.find((one) => row[one] !== undefined && row[one] !== null);
  return name === undefined ? undefined : row[name];
}
