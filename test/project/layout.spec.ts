import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { projectPath } from '../../src/platform/project.js';

const EXPORT =
  /^export (?:abstract )?(?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g;

/** The files of a folder by their paths, each with the files that it imports. */
function filesOf(root: string): Map<string, string[]> {
  const paths = readdirSync(projectPath(root), { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.ts'));
  return new Map(paths.map((path) => [path, importedBy(`${root}/${path}`, path)]));
}

function importedBy(file: string, path: string): string[] {
  const text = readFileSync(projectPath(file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, name = '']) =>
    posix.join(posix.dirname(path), `${name}.ts`),
  );
}

const imports = new Map([...filesOf('src')].filter(([path]) => !path.endsWith('.spec.ts')));

function textOf(path: string): string {
  return readFileSync(projectPath(`src/${path}`), 'utf8');
}

/** The files that remain after repeatedly removing those that import no remaining file. */
function entangled(files: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(files);
  const free = () => [...left].filter(([, others]) => !others.some((other) => left.has(other)));
  for (let found = free(); found.length > 0; found = free()) {
    found.forEach(([path]) => left.delete(path));
  }
  return [...left.keys()];
}

it.each([
  ['src', 500],
  ['test', 500],
  ['packages/browser/src', 10],
  ['packages/node/src', 10],
  ['packages/testing/src', 10],
])('no file of %s imports itself through others, not even for a type', (root, atLeast) => {
  const files = filesOf(root);
  expect(files.size).toBeGreaterThan(atLeast);
  expect(entangled(files)).toEqual([]);
});

it('no folder has more than fifteen sources, except migrations', () => {
  const sizes = new Map<string, number>();
  for (const path of imports.keys()) {
    const folder = posix.dirname(path);
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  const large = [...sizes].filter(([folder, size]) => size > 15 && !folder.includes('migrations'));
  expect(large).toEqual([]);
});

it('no two sources export the same name', () => {
  const sources = new Map<string, Set<string>>();
  for (const path of imports.keys()) {
    for (const [, name = ''] of textOf(path).matchAll(EXPORT)) {
      sources.set(name, (sources.get(name) ?? new Set()).add(path));
    }
  }
  expect(sources.size).toBeGreaterThan(1000);
  expect([...sources].filter(([, paths]) => paths.size > 1)).toEqual([]);
});

it('views build pages and answers build JSON, each in files of their own', () => {
  const paths = [...imports.keys()];
  const importing = (suffix: string, found: RegExp) =>
    paths.filter((path) => path.endsWith(suffix) && found.test(textOf(path)));
  expect(importing('.view.ts', /ApiProperty|OkAnswer/)).toEqual([]);
  expect(importing('.answer.ts', /platform\/pages\//)).toEqual([]);
  expect(paths.filter((path) => path.endsWith('.page.ts') || path.endsWith('-page.ts'))).toEqual([
    'audit/forms/once-per-page.ts', // a decorator
  ]);
});

it('a test file has at most forty lines before its first test, and a suite no test outside of a describe', () => {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(projectPath(folder), { recursive: true })
      .map((path) => `${folder}/${path}`)
      .filter((path) => /(?:spec|\.suite)\.ts$/.test(path)),
  );
  expect(files.length).toBeGreaterThan(400);
  const late: string[] = [];
  const loose: string[] = [];
  for (const path of files) {
    const text = readFileSync(projectPath(path), 'utf8').replaceAll(/^import\b[^;]*;\n/gm, '');
    const [before = '', ...tests] = text.split(/^(?= *it(?:[A-Z]\w*)?(?:\.each\b|\())/m);
    if (tests.length > 0 && before.trim().split('\n').length > 40) late.push(path);
    if (path.endsWith('.suite.ts') && tests.some((test) => test.startsWith('it'))) loose.push(path);
  }
  expect({ late, loose }).toEqual({ late: [], loose: [] });
});
