import { stringify } from 'csv-stringify/sync';

type Rows = readonly (readonly (string | number)[])[];

const SETTINGS = { escape_formulas: true, record_delimiter: 'windows' } as const;

/**
 * Rows as CSV (RFC 4180) with a heading. What a spreadsheet would take for a formula
 * (`=`, `+`, `-`, `@`, tab) gets an apostrophe in front.
 */
export function csvOf(columns: readonly string[], rows: Rows): string {
  return csvRows([columns, ...rows]);
}

/** The same without a heading, for a file that is written part by part. */
export const csvRows = (rows: Rows): string =>
  stringify(
    rows.map((row) => [...row]),
    SETTINGS,
  );
