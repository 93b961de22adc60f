import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { ESLint } from 'eslint';
import { projectPath } from '../../src/platform/project.js';

const eslint = new ESLint({ cwd: projectPath('') });

/** The rules that this text breaks in the place of a file. */
async function brokenBy(text: string, path: string) {
  const [result] = await eslint.lintText(text, { filePath: projectPath(path) });
  return (result?.messages ?? []).map(({ ruleId }) => ruleId);
}

/** Some file of a room, as one of another room imports it. */
function fileOf(room: string, from: string): string {
  const name = readdirSync(projectPath(`src/${room}`)).find((file) =>
    /(?<!\.spec)\.ts$/.test(file),
  );
  const path = posix.relative(from, `${room}/${String(name).replace(/ts$/, 'js')}`);
  return path.startsWith('.') ? path : `./${path}`;
}

/** What a file of `from` breaks that imports one of `to`. */
const importing = (from: string, to: string) =>
  brokenBy(`import '${fileOf(to, from)}';\n`, `src/${from}/probe.ts`);

const WALL = 'import-x/no-restricted-paths';

/** What a room may import, in the words of the linter. */
const allowance = (room: string, allowed: readonly string[]) =>
  `${room} may import only ${allowed.join(', ') || 'itself'}.`;

it('docs/architecture.md lists the imports that the linter allows', async () => {
  const { rules } = (await eslint.calculateConfigForFile(projectPath('src/app.ts'))) as {
    rules: { [WALL]: [unknown, { zones: { message: string }[] }] };
  };
  const text = readFileSync(projectPath('docs/architecture.md'), 'utf8');
  const [, drawing = ''] = /^```text\n(audit · events\n[^`]*)```/m.exec(text) ?? [];
  const floor = drawing
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [, parent = '', names = ''] = /^(?:(platform): )?(\w+(?: · \w+)*)/.exec(line) ?? [];
      return names.split(' · ').map((name) => posix.join(parent, name));
    })
    .reverse();
  const rows = text.matchAll(/^\| `([\w-]+)` +\| ((?:–|`[\w-]+`)(?:, `[\w-]+`)*) +\|$/gm);
  const features = [...rows].map(([, feature = '', cell = '']) =>
    allowance(feature, ['the floor', ...(cell.match(/[\w-]+/g) ?? [])]),
  );
  expect([
    ...floor.map((room, place) => allowance(room, floor.slice(0, place))),
    ...features,
  ]).toEqual(rules[WALL][1].zones.map(({ message }) => message));
});

describe('the linter’s rule of import directions', () => {
  it.each([
    ['webauthn', 'platform/errors'],
    ['platform/errors', 'platform/common'],
    ['platform/common', 'platform/validation'],
    ['platform/validation', 'platform/config'],
    ['platform/config', 'platform/telemetry'],
    ['platform/telemetry', 'platform/logging'],
    ['platform/logging', 'platform/database'],
    ['platform/database', 'platform/http'],
    ['platform/http', 'platform/access'],
    ['platform/access', 'platform/pages'],
    ['platform/pages', 'events'],
    ['events', 'audit'],
    ['audit', 'tenancy'],
    ['tenancy', 'users'],
    ['users', 'trust'],
    ['tenancy', 'batches'],
    ['batches', 'trust'],
    ['trust', 'fido'],
    ['trust', 'user-admin'],
    ['tenancy', 'pages'],
    ['tenancy/scope', 'pages/tenancy'],
    ['webhooks', 'pages'],
    ['trust', 'pages'],
    ['tenancy', 'cli'],
  ])('the linter refuses that %s imports %s, and allows the reverse', async (below, above) => {
    expect(await importing(below, above)).toEqual([WALL]);
    expect(await importing(above, below)).toEqual([]);
  });

  it.each([
    ['fido', 'user-admin'],
    ['fido', 'billing'],
    ['user-admin', 'billing'],
    ['user-admin', 'pages'],
    ['billing', 'health'],
    ['health', 'pages'],
  ])('the linter refuses that %s imports its neighbour %s', async (one, other) => {
    expect(await importing(one, other)).toEqual([WALL]);
  });
});

it.each([
  ['await database.commit([]);', ['no-restricted-syntax']],
  ['return database.commit([]);', []],
  ['await database.store([]);', []],
])(
  'the linter refuses only an outcome of commit() that is not read: %s',
  async (statement, broken) => {
    const text = `import type { Database } from '../platform/database/database.js';

export async function probe(database: Database): Promise<unknown> {
  ${statement}
}
`;
    expect(await brokenBy(text, 'src/tenancy/probe.ts')).toEqual(broken);
  },
);

/** What a controller breaks that has a handler with this parameter. */
const taking = (parameter: string) =>
  brokenBy(`export class Probe {\n  probe(${parameter}) {}\n}\n`, 'src/tenancy/probe.ts');

it.each([
  '@Body() body: BodyDto',
  '@Body() body: unknown',
  '@Query() query: Record<string, unknown>',
  "@Query('source') source: string",
  '@Body(ParseJsonPipe) body: BodyDto',
  '@Body(DtoPipe) body: unknown',
  '@Body(DtoPipe) body: BodyDto | undefined',
  '@Query(DtoPipe) { limit }: Record<string, unknown>',
  '@Req() request: Request',
  '@Req() { query }: Request',
])('the linter refuses a handler with the unchecked input %s', async (parameter) => {
  expect(await taking(parameter)).toContain('no-restricted-syntax');
});

it.each([
  '@Body(DtoPipe) dto: BodyDto',
  '@Body(OptionalDtoPipe) dto?: BodyDto',
  '@Body(new FormPipe(BodyDto)) form: SentForm<BodyDto>',
  '@Query(DtoPipe) { limit }: ListQuery',
  '@FileBody() file: Request',
])('the linter accepts a handler with %s', async (parameter) => {
  expect(await taking(parameter)).not.toContain('no-restricted-syntax');
});

it('the linter keeps frameworks and input/output out of the WebAuthn core', async () => {
  for (const name of ['@nestjs/common', 'express', 'typeorm', 'node:fs']) {
    expect(await brokenBy(`import '${name}';\n`, 'src/webauthn/probe.ts')).toEqual([
      'no-restricted-imports',
    ]);
  }
});

describe('the linter’s rule of SQL', () => {
  const texts = [
    "export const sql = 'DELETE FROM users';\n",
    'export const sql = `SELECT ${1} FROM users`;\n',
    'export const sql = `\n  UPDATE users SET id = :id`;\n',
  ];

  it.each(texts)('the linter refuses the SQL %j outside of statements', async (text) => {
    expect(await brokenBy(text, 'src/users/probe.ts')).toEqual(['no-restricted-syntax']);
    for (const home of ['src/users/probe.statements.ts', 'src/platform/database/probe.ts']) {
      expect(await brokenBy(text, home)).toEqual([]);
    }
  });

  it('the linter refuses positional parameters in SQL', async () => {
    const text = 'export const sql = `\n  UPDATE users SET id = ?`;\n';
    for (const home of ['src/users/probe.statements.ts', 'src/platform/database/probe.ts']) {
      expect(await brokenBy(text, home)).toEqual(['no-restricted-syntax']);
    }
  });
});
