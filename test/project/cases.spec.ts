import { readFileSync, readdirSync } from 'node:fs';
import { projectPath } from '../../src/platform/project.js';

const text = (path: string) => readFileSync(projectPath(path), 'utf8');

/** `UN02` or a range of rows, `UN02–UN04`, but not a time such as `T00:15`. */
const ROWS = /\b([A-Z]{1,2})(\d{2})(?:–\1(\d{2}))?\b(?!:\d)/g;

function rowsIn(source: string): string[] {
  return [...source.matchAll(ROWS)].flatMap(([, group = '', first, last = first]) =>
    Array.from(
      { length: Number(last) - Number(first) + 1 },
      (_, n) => group + String(Number(first) + n).padStart(2, '0'),
    ),
  );
}

const page = text('docs/cases.md');
const [, catalogue = '', rest = ''] = page.split(/^## .*\n/m);
/** The first cells of a table's rows, and the other cells. */
const tableOf = (section: string) =>
  [...section.matchAll(/^\| ((?:[A-Z]{1,2}\d{2}[–, ]*)+) *\| +(.*?) +\|$/gm)].map(
    ([, rows = '', words = '']) => ({ rows: rowsIn(rows), words }),
  );

const all = tableOf(catalogue).flatMap(({ rows }) => rows);
const notAutomated = tableOf(rest);

/** Rows that tests name outside of comments. */
function named(): Set<string> {
  const sources = ['src', 'test'].flatMap((folder) =>
    readdirSync(projectPath(folder), { recursive: true })
      .map((name) => `${folder}/${String(name)}`)
      .filter(
        (path) => /^(?:test\/.*|.*\.spec)\.ts$/.test(path) && path !== 'test/project/cases.spec.ts',
      ),
  );
  const code = sources.map((path) => text(path).replace(/\/\*[^]*?\*\/|\s\/\/ .*/g, ''));
  const groups = new Set(all.map((row) => row.replace(/\d+/, '')));
  return new Set(code.flatMap(rowsIn).filter((row) => groups.has(row.replace(/\d+/, ''))));
}

describe('docs/cases.md', () => {
  const covered = named();
  const excused = notAutomated.flatMap(({ rows }) => rows);

  it('counts each row of the catalogue once', () => {
    expect(all).toHaveLength(Number(/catalogue of (\d+) rows/.exec(page)?.[1]));
    expect(new Set(all).size).toBe(all.length);
  });

  it('has either a test or a reason for every row, never both', () => {
    expect(all.filter((row) => !covered.has(row) && !excused.includes(row))).toEqual([]);
    expect(excused.filter((row) => covered.has(row) || !all.includes(row))).toEqual([]);
    expect(new Set(excused).size).toBe(excused.length);
    for (const { words } of notAutomated) expect(words).toMatch(/\w+ \w+/);
  });

  it('contains every row that a test names', () => {
    expect([...covered].filter((row) => !all.includes(row))).toEqual([]);
  });
});
