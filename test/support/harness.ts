import { appendFileSync } from 'node:fs';
import { REDIS_URL, type DatabaseName } from './databases.js';

/**
 * The harness (`npm run long -- faults` and its like) runs a spec at its full size; the ordinary tests
 * run the short form.
 */
const size = process.env['HARNESS_SIZE'];
const file = process.env['HARNESS_FIGURES'];

export const IS_HARNESS = size !== undefined;

/** How often, how many or how long: what the harness says, else the short form's. */
export const sized = (short: number): number => (size === undefined ? short : Number(size));

/** Where the harness's option `--store` has the spec run: with what is pending in Redis beside MariaDB. */
export const STORE: { readonly on: DatabaseName; readonly sessions?: string } =
  process.env['HARNESS_STORE'] === 'mariadb'
    ? { on: 'MariaDB', ...(REDIS_URL !== undefined && { sessions: REDIS_URL }) }
    : { on: 'SQLite' };

/** Time limits hold on a machine that does nothing else. Ordinary tests share theirs, and only look for hanging. */
export const limit = (ms: number): number => (IS_HARNESS ? ms : 30_000);

/** For the harness's one line of figures; the ordinary tests keep none. */
export function report(figures: Readonly<Record<string, number | string>>): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figures)}\n`);
}
