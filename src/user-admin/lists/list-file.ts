import { Readable, pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { ApiError } from '../../errors/api-error.js';

/** What one line, or one record of a CSV file, says. */
export interface Line {
  /** Counted from 1; where a record of CSV spans lines, its last one. */
  readonly line: number;
  readonly text: string;
}

/** Longest line or record, in characters: what is longer is no list of names. */
const MAX_LINE = 64 * 1024;
const BREAK = /\r\n|\n|\r(?!$)/;
/** What the column of user names may be called, in any case; of several the first of these. */
const COLUMNS = ['username', 'user', 'upn', 'login', 'email', 'e-mail'];
/** How spreadsheets begin: those of today are ZIP files, those of before Microsoft's own. */
const SPREADSHEETS = ['504b0304', 'd0cf11e0'].map((start) => Buffer.from(start, 'hex'));
const START_BYTES = 4;
const SAVE_AS_CSV =
  'This is a spreadsheet file. Open it and save it as "CSV UTF-8" (Excel: File, Save As; LibreOffice: ' +
  'Save As, Text CSV), then upload that file.';
/** How files begin that may be UTF-8 but are no text: ZIP, ELF, PDF. */
const OTHER_FORMATS = [/^PK\u0005/, /^\u007fELF/, /^%PDF-/];
/** UTF-16 without its mark is valid UTF-8 with a zero in every other place. */
const UTF_16 = /^(?:\0|[^\n]\0)/;

const refused = (sentence: string, cause?: unknown): ApiError =>
  new ApiError('E0045R', sentence, { cause });

/**
 * The user names of a list file: UTF-8 (a BOM is allowed), either one name a line, taken literally
 * with quotes, commas and asterisks, or CSV with a column that is called `username` or alike. It is CSV
 * when its first line is such a heading, or has one among others between `,`, `;` or tabs. Lines end in
 * LF, CRLF or CR; blank ones are left out, and so is white space around a name.
 *
 * @throws ApiError E0045R for what is no such text
 */
export async function* readListFile(bytes: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const text = textOf(withoutSpreadsheets(bytes))[Symbol.asyncIterator]();
  const head = await headOf(text);
  const rest = resumed(head, text);
  const delimiter = csvDelimiter(head);
  yield* delimiter === undefined ? plainLines(rest) : csvLines(rest, delimiter);
}

/** Refuses a spreadsheet by its first bytes, before anything in it is taken for text. */
async function* withoutSpreadsheets(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (start.length < START_BYTES) {
      start = Buffer.concat([start, chunk.subarray(0, START_BYTES - start.length)]);
      if (SPREADSHEETS.some((other) => start.equals(other))) throw refused(SAVE_AS_CSV);
    }
    yield chunk;
  }
}

/** Decodes strictly: a byte that is no UTF-8 anywhere in the file would be another name. */
export async function* textOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw refused('The file must be text in UTF-8.', error);
    }
  };
  for await (const chunk of bytes) yield decode(chunk);
  yield decode();
}

/** Text up to the first end of a line, or more. */
async function headOf(text: AsyncIterator<string>): Promise<string> {
  let head = '';
  while (head.length <= MAX_LINE && !/[\r\n]/.test(head)) {
    const { value, done } = await text.next();
    if (done) break;
    head += value;
  }
  if (UTF_16.test(head) || OTHER_FORMATS.some((format) => format.test(head))) {
    throw refused('The file must be a list of names as text in UTF-8.');
  }
  return head;
}

async function* resumed(head: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield head;
  for (let { value, done } = await rest.next(); !done; { value, done } = await rest.next()) {
    yield value as string;
  }
}

/** What separates the columns of a file whose first line is a heading with ours; else nothing. */
function csvDelimiter(head: string): string | undefined {
  const [heading = ''] = head.split(/[\r\n]/, 1);
  return [',', ';', '\t'].find((delimiter) => columnOf(heading.split(delimiter)) !== -1);
}

function columnOf(heading: readonly string[]): number {
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
    if (rest.length > MAX_LINE) throw refused(`Line ${line + parts.length + 1} is too long.`);
    for (const part of parts) {
      line += 1;
      if (part.trim() !== '') yield { line, text: part };
    }
  }
  const last = rest.replace(/\r$/, '');
  if (last.trim() !== '') yield { line: line + 1, text: last };
}

async function* csvLines(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<Line> {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE,
    info: true,
  });
  // Errors of either side come out of the parser, which is what is read here.
  pipeline(Readable.from(text), parser, () => undefined);
  let column: number | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      if (column === undefined) column = columnOf(record);
      else yield { line: info.lines, text: record[column] ?? '' };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw refused('The file is not well-formed CSV.', error);
  }
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}
