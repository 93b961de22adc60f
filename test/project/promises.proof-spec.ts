import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { register } from 'prom-client';
import { parse } from 'yaml';
import { projectPath } from '../../src/platform/project.js';
import { CATALOGUE } from '../../src/platform/errors/catalogue.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

const text = (path: string) => readFileSync(projectPath(path), 'utf8');

/** Specs by their names, in any folder. */
const specs = new Set(
  ['src', 'test']
    .flatMap((folder) => readdirSync(projectPath(folder), { recursive: true }).map(String))
    .filter((path) => /(?:spec|suite)\.ts$/.test(path))
    .map((path) => basename(path).replace(/\.(?:(?:(?:e2e|proof)-)?spec|suite)\.ts$/, '')),
);

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}

interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
}

it('every promise in SECURITY.md names an existing test', () => {
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

it.each(['docs/operations.md', 'docs/scaling.md'])(
  'every promise in %s names an existing test',
  (page) => {
    const held = [...text(page).matchAll(/^Tested by ([^]*?)\.\n\n/gm)].map(
      ([, names = '']) => names,
    );
    expect(held.length).toBeGreaterThan(1);
    for (const name of held.flatMap(namesIn)) {
      expect([name, specs.has(name) || existsSync(projectPath(name))]).toEqual([name, true]);
    }
  },
);

describe('metrics', () => {
  let shown: string;
  beforeAll(async () => {
    const server = await TestServer.start();
    const user = new FidoClient(server.url);
    await user.register('alice');
    await user.signIn('alice');
    shown = (await user.get('/metrics')).text;
    await server.stop();
  });

  it.each(['docs/operations.md', 'docs/week.md'])('%s names only metrics of /metrics', (page) => {
    const names = metricsIn(text(page));
    expect(names.size).toBeGreaterThan(4);
    for (const name of names) expect(shown).toContain(`# HELP ${name} `);
  });

  it.each([
    ['deploy/grafana/servicefido.json', dashboardQueries],
    ['deploy/grafana/alerts.yaml', alertQueries],
  ])('%s queries only metrics and labels of /metrics', (file, queriesOf) => {
    const queries = queriesOf(text(file));
    expect(queries.length).toBeGreaterThan(10);
    for (const query of queries) {
      const names = metricsIn(query);
      expect([query, names.size]).not.toEqual([query, 0]);
      for (const name of names) expect(shown).toContain(`# HELP ${name} `);
      const known = new Set([...names].flatMap(labelsOf));
      for (const label of labelsIn(query))
        expect([query, label, known.has(label)]).toEqual([query, label, true]);
      for (const [, call = ''] of query.matchAll(/call=~?"([^"]+)"/g)) {
        for (const one of call.split('|')) expect(shown).toContain(`call="${one}"`);
      }
      for (const [, code = ''] of query.matchAll(/code="([^"]+)"/g))
        expect(CATALOGUE).toHaveProperty(code);
    }
  });
});

it('the fuzz harness passes in its short form', () => {
  const line = execFileSync(process.execPath, [projectPath('scripts/long/fuzz.mjs'), '1000']);
  expect(line.toString()).toMatch(/^fuzz: requests 1000, .*faults 0: held$/m);
});

/** Metrics that a text names, without what a histogram adds to its name. */
function metricsIn(words: string): Set<string> {
  return new Set(
    [...words.matchAll(/\b((?:servicefido|nodejs|process)_[a-z0-9_]+)/g)].map(([, name = '']) =>
      name.replace(/_bucket$/, ''),
    ),
  );
}

/** Labels that a query selects or groups by. */
function labelsIn(query: string): string[] {
  return [
    ...[...query.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, name = '']) => name),
    ...[...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/)),
  ];
}

/** Labels of a metric, with those that Prometheus adds. */
function labelsOf(name: string): string[] {
  const metric = register.getSingleMetric(name) as { labelNames?: string[] } | undefined;
  return ['job', 'instance', 'le', ...(metric?.labelNames ?? [])];
}

function dashboardQueries(json: string): string[] {
  const { panels, templating } = JSON.parse(json) as Dashboard;
  const variables = templating.list
    .map(({ query }) => query)
    .filter((query) => query.includes('('));
  return [...variables, ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))];
}

/** Without "up", which is Prometheus' own. */
function alertQueries(yaml: string): string[] {
  return (parse(yaml) as Alerts).groups
    .flatMap(({ rules }) => rules.map(({ expr }) => expr))
    .filter((expr) => !expr.startsWith('up{'));
}

/** The texts in backticks. */
function namesIn(words: string): string[] {
  return [...words.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);
}
