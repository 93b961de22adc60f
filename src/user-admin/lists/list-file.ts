import { ApiError } from '../../platform/errors/api-error.js';
import { withoutApostrophe } from '../../platform/pages/csv.js';
import { MAX_LINE, csvRecords, decodeText, readAhead } from '../text-input.js';

/** A line of plain text, or the user name in a record of a CSV file. */
export interface ListFileLine {
  /** Counted from 1; for a CSV record that spans several lines, the last one. */
  readonly line: number;
  readonly text: string;
}

const BREAK = /\r\n|\n|\r(?!$)/;
/**
 * Headings of the user name column, as `headingOf` returns them; if a file has several, the first in this list is
 * used. Entra exports `userPrincipalName` and `mail`, Active Directory `SamAccountName` too, Okta `login`, and Google
 * `Email Address [Required]`.
 */
const COLUMNS = [
  ...['username', 'user', 'upn', 'userprincipalname', 'login'],
  ...['email', 'emailaddress', 'mail', 'primaryemail', 'samaccountname'],
];
/** What may precede the heading: Excel’s separator, the version of Entra’s templates, the type of PowerShell 5. */
const PREAMBLE = /^"?(?:sep=([^"\r\n])|version:v1\.0|#TYPE .*?)"?[,;\t]*$/i;
/** The number of lines that decide about the format of a file. */
const SAMPLE_LINES = 10;
/** The first bytes of spreadsheet files: .xlsx and .ods are ZIP files, .xls has Microsoft's older format. */
const SPREADSHEETS = ['504b0304', 'd0cf11e0'].map((start) => Buffer.from(start, 'hex'));
const START_BYTES = 4;
/** Beginnings of files that may be valid UTF-8 but are not text: an empty ZIP, ELF, PDF. */
const OTHER_FORMATS = [/^PK\u0005/, /^\u007fELF/, /^%PDF-/];
/** UTF-16 without a byte order mark is valid UTF-8 in which every second character is zero. */
const UTF_16 = /^(?:\0|[^\n]\0)/;

/**
 * Reads the user names of a list file: UTF-8 or UTF-16 with a BOM, either one literal name per line, or CSV with a
 * column named `username` or similar. The file is CSV if its first line is such a heading, alone or among others
 * separated by `,`, `;` or tabs. Lines end with LF, CRLF or CR; blank lines and white space around names are ignored.
 *
 * @throws ApiError E0045R for any other file, also for one with several columns and no such heading
 */
export async function* readListFile(bytes: AsyncIterable<Buffer>): AsyncGenerator<ListFileLine> {
  let length = 0;
  let lines = 0;
  const isSample = (text: string) => {
    length += text.length;
    lines += text.split(/[\r\n]+/).length - 1;
    return length > MAX_LINE || lines > SAMPLE_LINES;
  };
  const { first, all } = await readAhead(decodeText(refuseSpreadsheets(bytes)), isSample);
  const head = first.join('');
  if (UTF_16.test(head) || OTHER_FORMATS.some((format) => format.test(head))) {
    throw new ApiError('E0045R', 'list.notNames');
  }
  const format = csvFormat(head);
  if (!format && hasColumns(head)) throw new ApiError('E0045R', 'list.noNames');
  yield* format ? csvLines(all, format) : plainLines(all);
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

interface CsvFormat {
  readonly delimiter: string;
  /** The line of the heading, counted from 1. */
  readonly from_line: number;
}

/**
 * The format of a CSV file whose heading has a user name column; `undefined` for plain text.
 *
 * @param head the first two lines, or more
 * @throws ApiError E0045R for CSV without such a column
 */
export function csvFormat(head: string): CsvFormat | undefined {
  const [top = '', below = ''] = head.split(/\r\n|\n|\r/, 2);
  const preamble = PREAMBLE.exec(top);
  const heading = preamble ? below : top;
  const delimiters = preamble?.[1] ?? ',;\t';
  const delimiter = [...delimiters].find((one) => columnOf(fieldsOf(heading, one)) !== -1);
  if (delimiter !== undefined) return { delimiter, from_line: preamble ? 2 : 1 };
  if (preamble) throw new ApiError('E0045R', 'list.noNames');
  return undefined;
}

/**
 * Whether text is a table without a heading: each of its first lines has the same number of columns. Names may
 * contain a comma and a space.
 */
function hasColumns(head: string): boolean {
  const lines = head.split(/[\r\n]+/, SAMPLE_LINES).filter((line) => line.trim() !== '');
  return [',', ';', '\t'].some((delimiter) => {
    const widths = lines.map((line) => fieldsOf(line.replaceAll(', ', ' '), delimiter).length);
    return lines.length > 1 && widths.every((width) => width > 1 && width === widths[0]);
  });
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

/** Headings of the column of display names. */
const DISPLAY_COLUMNS = ['displayname', 'fullname', 'name'];

/** The position of the display name column in a heading, or -1: of two columns, the one without user names. */
export function displayColumnOf(heading: readonly string[]): number {
  return heading.length === 2 ? 1 - columnOf(heading) : columnOf(heading, DISPLAY_COLUMNS);
}

/** The position of the user name column in a heading, or -1. */
export function columnOf(heading: readonly string[], columns: readonly string[] = COLUMNS): number {
  const names = heading.map(headingOf);
  const wanted = columns.find((column) => names.includes(column));
  return wanted === undefined ? -1 : names.indexOf(wanted);
}

/** A heading without quotes, brackets, `Required`, blanks, hyphens and underscores, in lower case. */
const headingOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\[[^\]]*\]\s*(?:required)?/g, '')
    .replace(/[\s"_-]/g, '');

async function* plainLines(text: AsyncIterable<string>): AsyncGenerator<ListFileLine> {
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

async function* csvLines(
  text: AsyncIterable<string>,
  format: CsvFormat,
): AsyncGenerator<ListFileLine> {
  let column: number | undefined;
  const options = { ...format, record_delimiter: ['\r\n', '\n', '\r'] };
  for await (const { record, info } of csvRecords<readonly string[]>(text, options)) {
    if (column === undefined) column = columnOf(record);
    else yield { line: info.lines, text: withoutApostrophe(record[column] ?? '') };
  }
}
