import { readdirSync } from 'node:fs';
import { ESLint } from 'eslint';
import { projectPath } from '../../src/config/project.js';

const cwd = projectPath('');
const everyRule = new ESLint({ cwd });
/** To look for cycles takes reading all that a file leads to. */
const butCycles = new ESLint({
  cwd,
  overrideConfig: { files: ['**/*.ts'], rules: { 'import-x/no-cycle': 'off' } },
});

/** The rules that this text breaks where it stands in place of a file. */
async function brokenBy(text: string, path: string, eslint = butCycles) {
  const [result] = await eslint.lintText(text, { filePath: projectPath(path) });
  return (result?.messages ?? []).map(({ ruleId }) => ruleId);
}

/** Some file of a module, as its neighbours import it. */
function fileOf(module: string): string {
  const name = readdirSync(projectPath(`src/${module}`)).find((file) =>
    /(?<!\.spec)\.ts$/.test(file),
  );
  return `../${module}/${String(name).replace(/ts$/, 'js')}`;
}

/** What a file of `from` breaks that imports one of `to`. */
const importing = (from: string, to: string) =>
  brokenBy(`import '${fileOf(to)}';\n`, `src/${from}/probe.ts`);

const WALL = 'import-x/no-restricted-paths';

describe('the linter refuses an arrow that goes up', () => {
  it.each([
    ['webauthn', 'errors'],
    ['errors', 'common'],
    ['common', 'validation'],
    ['validation', 'config'],
    ['config', 'logging'],
    ['logging', 'database'],
    ['database', 'ledger'],
    ['ledger', 'http'],
    ['http', 'security'],
    ['security', 'presentation'],
    ['presentation', 'audit'],
    ['audit', 'tenancy'],
    ['tenancy', 'credentials'],
    ['credentials', 'trust'],
    ['trust', 'fido'],
    ['trust', 'user-admin'],
    ['tenancy', 'cli'],
  ])('from %s to %s, and not the way back', async (below, above) => {
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
  ])('between %s and %s, which are neighbours', async (one, other) => {
    expect(await importing(one, other)).toEqual([WALL]);
  });
});

it('the linter sees a cycle between two files', async () => {
  const broken = await brokenBy(`import './api-error.js';\n`, 'src/errors/catalogue.ts', everyRule);
  expect(broken).toContain('import-x/no-cycle');
});

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
])('the linter refuses a handler that takes what is sent unchecked: %s', async (parameter) => {
  expect(await taking(parameter)).toContain('no-restricted-syntax');
});

it.each([
  '@Body(DtoPipe) dto: BodyDto',
  '@Body(OptionalDtoPipe) dto?: BodyDto',
  '@Body(new FormPipe(BodyDto)) form: SentForm<BodyDto>',
  '@Query(DtoPipe) { limit }: ListQuery',
  '@FileBody() file: Request',
])('and takes %s', async (parameter) => {
  expect(await taking(parameter)).not.toContain('no-restricted-syntax');
});

it('the linter keeps frameworks and the world out of the WebAuthn core', async () => {
  for (const name of ['@nestjs/common', 'express', 'typeorm', 'node:fs']) {
    expect(await brokenBy(`import '${name}';\n`, 'src/webauthn/probe.ts')).toEqual([
      'no-restricted-imports',
    ]);
  }
});

describe('the linter keeps SQL in statements that are made from the entities', () => {
  const texts = [
    "export const sql = 'DELETE FROM users';\n",
    'export const sql = `SELECT ${1} FROM users`;\n',
    'export const sql = `\n  UPDATE users SET id = ?`;\n',
  ];

  it.each(texts)('%j', async (text) => {
    expect(await brokenBy(text, 'src/credentials/probe.ts')).toEqual(['no-restricted-syntax']);
    for (const home of ['src/credentials/probe.statements.ts', 'src/database/probe.ts']) {
      expect(await brokenBy(text, home)).toEqual([]);
    }
  });
});
