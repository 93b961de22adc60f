import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runJest } from './jest.mjs';
import { ensurePackages } from './packages.mjs';
import { Refusal } from './project.mjs';
import { run } from './run.mjs';
import { takeStore } from './store.mjs';

/** The size that the command line names, else the usual one. */
export function sizeFrom(argv, usual) {
  const [text = String(usual), ...rest] = argv;
  if (!/^[1-9]\d*$/.test(text) || rest.length > 0) throw new Refusal('takes one whole number');
  return Number(text);
}

/**
 * Runs a spec at a size of its own and prints one line of figures; exit code 1 on a violation.
 * The same spec is among the ordinary tests in its short form.
 *
 * @param onStores whether the spec runs on the database that `--store` names
 * @param total makes one object of figures of those that the spec reported
 */
export async function runHarness({ spec, usual, title, onStores = false, total }) {
  await run(async () => {
    const argv = process.argv.slice(2);
    const { store, rest } = onStores ? takeStore(argv) : { rest: argv };
    const size = sizeFrom(rest, usual);
    ensurePackages();
    const folder = mkdtempSync(join(tmpdir(), 'servicefido-harness-'));
    const figures = join(folder, 'figures');
    const began = performance.now();
    Object.assign(process.env, {
      HARNESS_SIZE: String(size),
      HARNESS_FIGURES: figures,
      HARNESS_STORE: store ?? '',
    });
    // One suite at a time: beside another, the limits of time would not hold.
    await runJest([spec, '--silent', '--maxWorkers=1']);
    const reported = readLines(figures).map((line) => JSON.parse(line));
    rmSync(folder, { recursive: true, force: true });
    const ok = process.exitCode === 0 && reported.length > 0;
    const seconds = Math.round((performance.now() - began) / 1000);
    printFigures(store ? `${title} on ${store}` : title, { ...total(reported), seconds }, ok);
  });
}

/** The one line: what was done, the figures, and whether the promise held. */
export function printFigures(title, figures, ok) {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  console.log(`${title}: ${text.join(', ')}: ${ok ? 'held' : 'VIOLATED'}`);
  process.exitCode = ok ? 0 : 1;
}

function readLines(file) {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

export const sum = (reported, name) =>
  reported.reduce((total, figures) => total + (figures[name] ?? 0), 0);

export const most = (reported, name) => Math.max(...reported.map((figures) => figures[name] ?? 0));
