import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { projectPath } from '../../src/config/project.js';
import { Client } from '../support/client.js';
import { TestServer } from '../support/test-server.js';

const text = (path: string) => readFileSync(projectPath(path), 'utf8');

/** Specs by their names, wherever they stand. */
const specs = new Set(
  ['src', 'test']
    .flatMap((folder) => readdirSync(projectPath(folder), { recursive: true }).map(String))
    .filter((path) => path.endsWith('spec.ts'))
    .map((path) => basename(path).replace(/\.(?:e2e-)?spec\.ts$/, '')),
);

/** What stands in backticks. */
const namesIn = (words: string): string[] =>
  [...words.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);

it('SECURITY.md: every promise names a test that is there', () => {
  const rows = text('SECURITY.md')
    .split('\n')
    .filter((line) => /^\| [A-Z]/.test(line) && !line.startsWith('| Promise'));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const [, , proofs = ''] = row.split('|');
    const names = namesIn(proofs);
    expect(names).not.toEqual([]);
    for (const name of names) {
      expect([name, specs.has(name) || existsSync(projectPath(name))]).toEqual([name, true]);
    }
  }
});

it.each(['docs/operations.md', 'docs/scaling.md'])('%s: what is held is held by tests', (page) => {
  const held = [...text(page).matchAll(/^Held by ([^]*?)\.\n\n/gm)].map(([, names = '']) => names);
  expect(held.length).toBeGreaterThan(1);
  for (const name of held.flatMap(namesIn)) {
    expect([name, specs.has(name) || existsSync(projectPath(name))]).toEqual([name, true]);
  }
});

it('docs/alerts.yaml and docs/operations.md: every metric is one that /metrics shows', async () => {
  const server = await TestServer.start();
  const { text: metrics } = await new Client(server.url).get('/metrics');
  await server.stop();
  const named = `${text('docs/alerts.yaml')}${text('docs/operations.md')}`.matchAll(
    /\b((?:servicefido|nodejs|process)_[a-z0-9_]+)/g,
  );
  const names = new Set([...named].map(([, name = '']) => name.replace(/_bucket$/, '')));
  expect(names.size).toBeGreaterThan(6);
  for (const name of names) expect(metrics).toContain(`# HELP ${name} `);
});

it('the fuzz harness holds in its short form', () => {
  const line = execFileSync(process.execPath, [projectPath('scripts/fuzz.mjs'), '1000']);
  expect(line.toString()).toMatch(/^fuzz: requests 1000, .*faults 0: held$/m);
}, 90_000);
