import { readFileSync } from 'node:fs';
import { projectPath } from '../../src/config/project.js';
import { OPTIONS, flagOf } from '../../src/config/server-options.js';
import { CATALOGUE } from '../../src/errors/catalogue.js';
import { parse } from 'yaml';

const readme = readFileSync(projectPath('README.md'), 'utf8');

/** Cells of the table rows whose first cell is this. */
function row(first: string): string[] | undefined {
  const line = readme.split('\n').find((text) => text.startsWith(`| ${first} `));
  return line?.split('|').map((cell) => cell.trim());
}

describe('the README', () => {
  it('lists every code with its status and sentence', () => {
    const listed = Object.keys(CATALOGUE).map((code) => row(code)?.slice(1, 4));
    const expected = Object.entries(CATALOGUE).map(([code, [status, sentence]]) => [
      code,
      String(status),
      sentence,
    ]);
    expect(listed).toEqual(expected);
  });

  it('lists every option with its meaning', () => {
    const listed = Object.keys(OPTIONS).map((name) => row(`\`--${flagOf(name)}\``)?.[3]);
    expect(listed).toEqual(Object.values(OPTIONS).map(([, meaning]) => meaning));
  });

  it('is matched by the example configuration', () => {
    const example = readFileSync(projectPath('config/servicefido.example.yaml'), 'utf8');
    const keys = Object.keys(parse(example) as object);
    const names = Object.keys(OPTIONS).map(flagOf);
    expect(keys.filter((key) => !names.includes(key))).toEqual([]);
    expect(names.filter((name) => !new RegExp(`^(# )?${name}:`, 'm').test(example))).toEqual([]);
  });
});
