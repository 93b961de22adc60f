import { csvRecords, decodeText, readAhead } from '../../text-input.js';
import { jsonElements } from './json-elements.js';
import { jsonLines, type JsonItem } from './json-lines.js';
import type { SourceRecord, SourceRow, SourceUser } from './source.js';

/**
 * Yields the rows of a CSV file, by column name; in UTF-8 (a BOM is allowed). An empty field counts as absent: CSV
 * does not distinguish an empty text from none.
 *
 * @throws ApiError E0045R for any other file
 */
async function* csvRows(file: AsyncIterable<Buffer>): AsyncGenerator<JsonItem> {
  const columns = (names: readonly string[]) => names.map((name) => name.trim());
  const records = csvRecords<Readonly<Record<string, string>>>(decodeText(file), {
    bom: true,
    columns,
  });
  for await (const { record, info } of records) {
    yield { line: info.lines, value: withoutEmpty(record) };
  }
}

const withoutEmpty = (record: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''));

/** The maximum number of rows of a user that are combined; further rows become another record of the same user. */
const MAX_TOGETHER = 101;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const SPACE = 0x20;
const BYTE_ORDER_MARK = new Set([0xef, 0xbb, 0xbf]);

/** Yields the rows of a table: a JSON array of objects, JSON Lines, or CSV, detected by the beginning of the file. */
export async function* tableRows(file: AsyncIterable<Buffer>): AsyncGenerator<JsonItem> {
  const isContent = (byte: number) => byte > SPACE && !BYTE_ORDER_MARK.has(byte);
  const { first, all } = await readAhead(file, (chunk) => chunk.some(isContent));
  const beginning = first.at(-1)?.find(isContent);
  if (beginning === OPEN_ARRAY) yield* jsonElements(all, {});
  else yield* beginning === OPEN_OBJECT ? jsonLines(all) : csvRows(all);
}

/**
 * Yields users from rows of keys. Successive rows of the same user are combined, with all of their handles, since
 * some servers create a handle for each key.
 *
 * @param read reads a row as a user with one key, or with several if rows contain more
 */
export async function* usersOfRows(
  rows: AsyncIterable<JsonItem>,
  read: (row: SourceRow) => SourceUser,
): AsyncGenerator<SourceRecord> {
  let open: { readonly line: number; readonly user: SourceUser } | undefined;
  for await (const item of rows) {
    if ('fault' in item) {
      yield item;
      continue;
    }
    const { line } = item;
    const user = read(item.value);
    if (open && isSameUser(open.user, user) && open.user.keys.length < MAX_TOGETHER) {
      open = { line: open.line, user: combined(open.user, user) };
      continue;
    }
    if (open) yield open;
    open = { line, user };
  }
  if (open) yield open;
}

/** Whether two rows are of one user. A server may allow a name twice, so the IDs decide too. */
function isSameUser(one: SourceUser, other: SourceUser): boolean {
  if (one.username !== other.username || one.subject !== other.subject) return false;
  const isKnown = one.formerId !== undefined && other.formerId !== undefined;
  return !isKnown || one.formerId === other.formerId;
}

/** A user with the keys of another row too, and with those handles of it that are not known yet. */
function combined(user: SourceUser, other: SourceUser): SourceUser {
  const handles = [...user.handles];
  for (const handle of other.handles) {
    const isKnown = handles.some((one) => handle && one?.equals(handle));
    if (!isKnown) handles.push(handle);
  }
  const formerId = user.formerId ?? other.formerId;
  const secondFactors = (user.secondFactors ?? 0) + (other.secondFactors ?? 0);
  return { ...user, keys: [...user.keys, ...other.keys], handles, formerId, secondFactors };
}

/** The first of several columns in which a row has a value; `null` counts as absent. */
export function firstValueOf(row: SourceRow, ...names: readonly string[]) {
  const name = names.find((one) => row[one] !== undefined && row[one] !== null);
  return name === undefined ? undefined : row[name];
}
