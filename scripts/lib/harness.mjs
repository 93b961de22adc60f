import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile } from '../../bench/statistics.mjs';
import { newFolder } from './folder.mjs';
import { runJest } from './jest.mjs';
import { Refusal, say } from './project.mjs';
import { SUITES } from './suites.mjs';

const STORES = ['sqlite', 'mariadb'];

/**
 * Reads `[SIZE] [--store sqlite|mariadb]` from the command line. With MariaDB, pending data is in Redis, as with
 * several instances.
 */
export function sizeAndStore(usual) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { store: { type: 'string', default: 'sqlite' } },
  });
  if (!STORES.includes(values.store)) {
    throw new Refusal(`--store takes one of ${STORES.join(', ')}`);
  }
  const [text = String(usual), ...rest] = positionals;
  if (!/^[1-9]\d*$/.test(text) || rest.length > 0) throw new Refusal('takes one whole number');
  return { size: Number(text), store: values.store };
}

/** Runs one of SUITES at the size on the command line, and prints its line of figures; exits with 1 on a violation. */
export async function runSuite(name) {
  const { spec, usual } = SUITES[name];
  const { size, store } = sizeAndStore(usual);
  const folder = newFolder('harness');
  const file = join(folder, 'figures');
  const began = performance.now();
  Object.assign(process.env, {
    HARNESS_SIZE: String(size),
    HARNESS_FIGURES: file,
    HARNESS_STORE: store,
  });
  // One suite at a time: together with another, the time limits would be exceeded.
  await runJest([spec, '--silent', '--maxWorkers=1']);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const reported = lines.map((line) => JSON.parse(line));
  rmSync(folder, { recursive: true, force: true });
  if (reported.length === 0) say('no part of it ran: is a service or program missing?');
  const ok = process.exitCode === 0 && reported.length > 0;
  const seconds = Math.round((performance.now() - began) / 1000);
  const figures = { parts: reported.length, ...total(reported), seconds };
  printFigures(name, figures, ok);
}

/** The figures of all parts together: sums, but the maximum of times and memory. */
function total(reported) {
  const names = new Set(reported.flatMap(Object.keys));
  return Object.fromEntries(
    [...names].map((name) => {
      const values = reported.map((figures) => figures[name] ?? 0);
      const isMost = /(?:Ms|MiB)$/.test(name);
      return [name, isMost ? Math.max(...values) : values.reduce((sum, value) => sum + value)];
    }),
  );
}

/** Prints the result: what was done, the figures, and whether the suite passed. */
export function printFigures(title, figures, ok) {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  console.log(`${title}: ${text.join(', ')}: ${ok ? 'held' : 'VIOLATED'}`);
  if (!ok) process.exitCode = 1;
}

/** The median, the 99th percentile and the maximum of durations in ms, as one text. */
export function spread(durations) {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(durations, share).toFixed(1));
  return `p50 ${p50} ms, p99 ${p99} ms, longest ${most} ms`;
}
