import { ApiError } from '../../platform/errors/api-error.js';
import { MAX_LINE, csvRecords, decodeText, readAhead } from '../text-input.js';

/** A line of plain text, or the user name in a record of a CSV file. */
export interface Line {
  /** Counted from 1; for a CSV record that spans several lines, the last one. */
  readonly line: number;
  readonly text: string;
}

const BREAK = /\r\n|\n|\r(?!$)/;
/** Names of the user name column, without regard to case; if a file has several, the first in this list is used. */
const COLUMNS = ['username', 'user', 'upn', 'login', 'email', 'e-mail'];
/** The first bytes of spreadsheet files: .xlsx and .ods are ZIP files, .xls has Microsoft's older format. */
const SPREADSHEETS = ['504b0304', 'd0cf11e0'].map((start) => Buffer.from(start, 'hex'));
const START_BYTES = 4;
/** Beginnings of files that may be valid UTF-8 but are not text: an empty ZIP, ELF, PDF. */
const OTHER_FORMATS = [/^PK\u0005/, /^\u007fELF/, /^%PDF-/];
/** UTF-16 without a byte order mark is valid UTF-8 in which every second character is zero. */
const UTF_16 = /^(?:\0|[^\n]\0)/;

/**
 * Reads the user names of a list file: UTF-8 (a BOM is allowed), either one literal name per line, or CSV with a
 * column named `username` or similar. The file is CSV if its first line is such a heading, alone or among others
 * separated by `,`, `;` or tabs. Lines end with LF, CRLF or CR; blank lines and white space around names are ignored.
 *
 * @throws ApiError E0045R for any other file
 */
export async function* readListFile(bytes: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let length = 0;
  const isHeadingComplete = (text: string) => {
    length += text.length;
    return length > MAX_LINE || /[\r\n]/.test(text);
  };
  const { first, all } = await readAhead(decodeText(refuseSpreadsheets(bytes)), isHeadingComplete);
  const head = first.join('');
  if (UTF_16.test(head) || OTHER_FORMATS.some((format) => format.test(head))) {
    throw new ApiError('E0045R', 'list.notNames');
  }
  const delimiter = csvDelimiter(head);
  yield* delimiter === undefined ? plainLines(all) : csvLines(all, delimiter);
}

/** Refuses a spreadsheet by its first bytes, before any of it is read as text. */
async function* refuseSpreadsheets(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (start.length < START_BYTES) {
      start = Buffer.concat([start, chunk.subarray(0, START_BYTES - start.length)]);
      if (SPREADSHEETS.some((other) => start.equals(other)))
        throw new ApiError('E0045R', 'file.spreadsheet');
    }
    yield chunk;
  }
}

/** The delimiter of a CSV file whose heading has a user name column; `undefined` for plain text. */
export function csvDelimiter(head: string): string | undefined {
  const [heading = ''] = head.split(/[\r\n]/, 1);
  return [',', ';', '\t'].find((delimiter) => columnOf(fieldsOf(heading, delimiter)) !== -1);
}

/** Splits a heading at the delimiters outside quotes. */
function fieldsOf(heading: string, delimiter: string): string[] {
  const fields = [''];
  let quoted = false;
  for (const character of heading) {
    if (character === '"') quoted = !quoted;
    if (character === delimiter && !quoted) fields.push('');
    else fields[fields.length - 1] += character;
  }
  return fields;
}

/** The position of the user name column in a heading, or -1. */
export function columnOf(heading: readonly string[]): number {
  const names = heading.map((name) =>
    name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  );
  const wanted = COLUMNS.find((column) => names.includes(column));
  return wanted === undefined ? -1 : names.indexOf(wanted);
}

async function* plainLines(text: AsyncIterable<string>): AsyncGenerator<Line> {
  let line = 0;
  let rest = '';
  for await (const chunk of text) {
    const parts = (rest + chunk).split(BREAK);
    rest = parts.pop() ?? '';
    if (rest.length > MAX_LINE) {
      throw new ApiError('E0045R', 'list.lineTooLong', { line: line + parts.length + 1 });
    }
    for (const part of parts) {
      line += 1;
      if (part.trim() !== '') yield { line, text: part };
    }
  }
  const last = rest.replace(/\r$/, '');
  if (last.trim() !== '') yield { line: line + 1, text: last };
}

async function* csvLines(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<Line> {
  let column: number | undefined;
  const format = { delimiter, record_delimiter: ['\r\n', '\n', '\r'] };
  for await (const { record, info } of csvRecords<readonly string[]>(text, format)) {
    if (column === undefined) column = columnOf(record);
    else yield { line: info.lines, text: record[column] ?? '' };
  }
}
