import { stringify } from 'csv-stringify/sync';
import type { Language } from './languages/languages.js';

type Cell = string | number;
type Rows = readonly (readonly Cell[])[];

/** The columns of a table by name, in order, each with its cell in a row. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

export const cellsOf = <Row>(columns: CsvColumns<Row>, row: Row): Cell[] =>
  Object.values(columns).map((cell) => cell(row));

/**
 * What a spreadsheet interprets as a formula, even in full-width characters: at the beginning of a field, and after a
 * character that may end one, since many spreadsheets separate fields at semicolons. Apostrophes before it get another
 * one, so that `withoutApostrophe` restores each field.
 */
const FORMULA = /(^|[;\t\r\n])( *)(?='*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const ESCAPED = /(^|[;\t\r\n])( *)'(?='*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** A field that is an amount with decimals; a negative one is not a formula. */
const AMOUNT = /^-?\d+\.\d+$/;

/** Tabs and carriage returns at the beginning of a field, which some spreadsheets skip. */
const LEADING = /^(?=[\t\r])/;

/** The format of a file: for programs, or for a spreadsheet of a language, which opens it on a double-click. */
export interface CsvDialect {
  /** The language of the headings; `undefined` for programs. */
  readonly language?: Language;
  readonly delimiter: ',' | ';';
  readonly decimal: ',' | '.';
}

const FOR_PROGRAMS: CsvDialect = { delimiter: ',', decimal: '.' };

/** Spreadsheets separate fields at semicolons if the language writes decimals with a comma. */
export function spreadsheetOf(language: Language): Required<CsvDialect> {
  const hasComma = new Intl.NumberFormat(language).format(0.5).includes(',');
  return { language, delimiter: hasComma ? ';' : ',', decimal: hasComma ? ',' : '.' };
}

const safeText = (text: string, { decimal }: CsvDialect): string =>
  AMOUNT.test(text)
    ? text.replace('.', decimal)
    : text.replace(FORMULA, "$1$2'").replace(LEADING, "'");

/** A field of our CSV without the apostrophe that `csvRows` put before what looks like a formula. */
export const withoutApostrophe = (field: string): string => field.replace(ESCAPED, '$1$2');

/**
 * Rows as CSV (RFC 4180) with a heading, every field in quotes. Fields that a spreadsheet would interpret as a
 * formula are prefixed with an apostrophe; numbers stay unchanged. A file for spreadsheets begins with a byte
 * order mark, without which they do not read it as UTF-8.
 */
export function csvOf(
  columns: readonly string[],
  rows: Rows,
  dialect: CsvDialect = FOR_PROGRAMS,
): string {
  return csvHeading(columns, dialect) + csvRows(rows, dialect);
}

/** The beginning of a file that is written in parts. */
export function csvHeading(columns: readonly string[], dialect: CsvDialect = FOR_PROGRAMS): string {
  const text = csvRows([columns], dialect);
  return dialect.language === undefined ? text : `\uFEFF${text}`;
}

/** Rows as CSV without a heading, for a file that is written in parts. */
export const csvRows = (rows: Rows, dialect: CsvDialect = FOR_PROGRAMS): string =>
  stringify(
    rows.map((row) => [...row]),
    {
      quoted: true,
      quoted_empty: true,
      record_delimiter: 'windows',
      delimiter: dialect.delimiter,
      cast: { string: (text: string) => safeText(text, dialect) },
    },
  );
