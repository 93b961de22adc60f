import { Readable, pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { ApiError } from '../../../platform/errors/api-error.js';
import { textOf } from '../../lists/list-file.js';
import type { JsonItem } from './json-lines.js';

/** Most characters of one record: a passkey has far fewer. */
const MAX_RECORD = 64 * 1024;

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/**
 * The rows of a CSV file, by the names of its columns; in UTF-8 (a BOM is allowed). An empty field counts as
 * absent: CSV does not tell an empty text from none.
 *
 * @throws ApiError E0045R for any other file
 */
export async function* csvRows(file: AsyncIterable<Buffer>): AsyncGenerator<JsonItem> {
  const parser = parse({
    bom: true,
    columns: (names: readonly string[]) => names.map((name) => name.trim()),
    info: true,
    max_record_size: MAX_RECORD,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // Errors of the file and of the parser both reach the loop below, which reads the parser.
  pipeline(Readable.from(textOf(file)), parser, () => undefined);
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
