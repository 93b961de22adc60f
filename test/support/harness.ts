import { appendFileSync } from 'node:fs';
import { REDIS_URL, type DatabaseName } from './databases.js';

/**
 * The harness (`npm run long -- faults` and its like) runs a spec at its full size; the ordinary tests
 * run the short form.
 */
const size = process.env['HARNESS_SIZE'];
const file = process.env['HARNESS_FIGURES'];

export const IS_HARNESS = size !== undefined;

/** The number of repetitions, items or seconds: from the harness, otherwise of the short form. */
export const sized = (short: number): number => (size === undefined ? short : Number(size));

/** The stores from the harness's option `--store`: with MariaDB, pending ceremonies are in Redis. */
export const STORE: { readonly on: DatabaseName; readonly sessions?: string } =
  process.env['HARNESS_STORE'] === 'mariadb'
    ? { on: 'MariaDB', ...(REDIS_URL !== undefined && { sessions: REDIS_URL }) }
    : { on: 'SQLite' };

/** Time limits apply to an otherwise idle machine. Ordinary tests share theirs, and only detect hangs. */
export const limit = (ms: number): number => (IS_HARNESS ? ms : 120_000);

/** For the harness's one line of figures; the ordinary tests keep none. */
export function report(figures: Readonly<Record<string, number | string>>): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figures)}\n`);
}
