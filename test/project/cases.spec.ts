import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { projectPath } from '../../src/platform/project.js';

/** `UN02` or a range of rows, `UN02–UN04`. */
const ROWS = /\b([A-Z]{1,2})(\d{2})(?:–\1(\d{2}))?\b/g;

function rowsIn(source: string): string[] {
  return [...source.matchAll(ROWS)].flatMap(([, group = '', first, last = first]) =>
    Array.from(
      { length: Number(last) - Number(first) + 1 },
      (_, n) => group + String(Number(first) + n).padStart(2, '0'),
    ),
  );
}

const page = readFileSync(projectPath('docs/cases.md'), 'utf8');
const [, catalogue = '', tested = '', untested = ''] = page.split(/^## .*\n/m);
/** The first cells of a table's rows, and the other cells. */
const tableOf = (section: string) =>
  [...section.matchAll(/^\| ((?:[A-Z]{1,2}\d{2}[–, ]*)+) *\| +(.*?) +\|$/gm)].map(
    ([, rows = '', words = '']) => ({ rows: rowsIn(rows), words }),
  );

const all = tableOf(catalogue).flatMap(({ rows }) => rows);
const withTests = tableOf(tested);
const withoutTests = tableOf(untested);

/** The names of all specs, suites and tables of cases. */
const testNames = new Set(
  ['src', 'test']
    .flatMap((folder) =>
      readdirSync(projectPath(folder), { recursive: true }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => /^(?:test\/.*|.*\.spec)\.ts$/.test(path))
    .map((path) => basename(path).replace(/(?:\.(?:(?:e2e|proof)-)?spec|\.suite)?\.ts$/, '')),
);

describe('docs/cases.md', () => {
  const covered = new Set(withTests.flatMap(({ rows }) => rows));
  const excused = withoutTests.flatMap(({ rows }) => rows);

  it('docs/cases.md counts each row of the catalogue once', () => {
    expect(all).toHaveLength(Number(/catalogue of (\d+) rows/.exec(page)?.[1]));
    expect(new Set(all).size).toBe(all.length);
  });

  it('docs/cases.md gives either a test or a reason for every row, never both', () => {
    expect(all.filter((row) => !covered.has(row) && !excused.includes(row))).toEqual([]);
    expect(excused.filter((row) => covered.has(row) || !all.includes(row))).toEqual([]);
    expect(new Set(excused).size).toBe(excused.length);
    for (const { words } of withoutTests) expect(words).toMatch(/\w+ \w+/);
  });

  it('docs/cases.md lists only rows of the catalogue and tests that exist', () => {
    expect([...covered].filter((row) => !all.includes(row))).toEqual([]);
    expect(
      withTests
        .map(({ words }) => words.replaceAll('`', ''))
        .filter((name) => !testNames.has(name)),
    ).toEqual([]);
  });
});
