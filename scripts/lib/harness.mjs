import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile } from '../../bench/statistics.mjs';
import { newFolder } from './folder.mjs';
import { runJest } from './jest.mjs';
import { ensurePackages } from './packages.mjs';
import { Refusal } from './project.mjs';
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
  return { size: sizeFrom(positionals, usual), store: values.store };
}

/** The size among the words of a command line, otherwise the default one. */
export function sizeFrom(words, usual) {
  const [text = String(usual), ...rest] = words;
  if (!/^[1-9]\d*$/.test(text) || rest.length > 0) throw new Refusal('takes one whole number');
  return Number(text);
}

/** Runs one of SUITES at the size on the command line, and prints its line of figures; exits with 1 on a violation. */
export async function runSuite(name) {
  const { spec, usual, title = name, onStores = false, ensure, figures } = SUITES[name];
  const { size, store } = onStores
    ? sizeAndStore(usual)
    : { size: sizeFrom(process.argv.slice(2), usual) };
  ensure?.();
  ensurePackages();
  const folder = newFolder('harness');
  const file = join(folder, 'figures');
  const began = performance.now();
  Object.assign(process.env, {
    HARNESS_SIZE: String(size),
    HARNESS_FIGURES: file,
    HARNESS_STORE: store ?? '',
  });
  // One suite at a time: together with another, the time limits would be exceeded.
  await runJest([spec, '--silent', '--maxWorkers=1']);
  const reported = readLines(file).map((line) => JSON.parse(line));
  rmSync(folder, { recursive: true, force: true });
  const ok = process.exitCode === 0 && reported.length > 0;
  const seconds = Math.round((performance.now() - began) / 1000);
  const made = Object.entries(figures).map(([figure, make]) => [figure, make(reported)]);
  const all = { ...Object.fromEntries(made), seconds };
  printFigures(store ? `${title} on ${store}` : title, all, ok);
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

function readLines(file) {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
