import { stringify } from 'csv-stringify/sync';

type Rows = readonly (readonly (string | number)[])[];

/**
 * What a spreadsheet takes for a formula, in full-width characters too: at the beginning of a field, and
 * after what it may take for the end of one, since many spreadsheets separate fields at semicolons.
 */
const FORMULA = /(^|[;\t\r\n])( *)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** A negative amount with decimals as the whole field, which is no formula. */
const AMOUNT = /^-\d+\.\d+$/;

/** Tabs and carriage returns at the beginning of a field, which some spreadsheets skip when they read it. */
const LEADING = /^(?=[\t\r])/;

const SETTINGS = {
  quoted: true,
  quoted_empty: true,
  record_delimiter: 'windows',
  cast: {
    string: (text: string) =>
      AMOUNT.test(text) ? text : text.replace(FORMULA, "$1$2'").replace(LEADING, "'"),
  },
} as const;

/**
 * Rows as CSV (RFC 4180) with a heading, every field in quotes. What a spreadsheet would take for a
 * formula gets an apostrophe in front; numbers are left as they are.
 */
export function csvOf(columns: readonly string[], rows: Rows): string {
  return csvRows([columns, ...rows]);
}

/** Rows as CSV without a heading, for a file that is written part by part. */
export const csvRows = (rows: Rows): string =>
  stringify(
    rows.map((row) => [...row]),
    SETTINGS,
  );
