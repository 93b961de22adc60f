import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectPath } from '../../src/platform/project.js';
import { describeWith } from '../support/needs.js';

const TOOLS = 'config/openapi';
const DOCUMENT = projectPath('dist/openapi.json');
const MINUTES = 60_000;

/** A program that imports a generated client is compiled as an application's bundler would. */
const CONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['es2023', 'dom', 'dom.iterable'],
    paths: { '*': [toolPath('*')] },
  },
  files: ['api.ts'],
};

installTools();

describeWith('the tools in config/openapi')('tools of others', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-client-'));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const compile = () => run(projectPath('node_modules/typescript/bin/tsc'), ['-p', folder]);

  it(
    'Redocly finds neither an error nor a warning in the OpenAPI document',
    async () => {
      const args = ['lint', DOCUMENT, '--config', 'redocly.yaml', '--format', 'json'];
      const { code, text } = await run(toolPath('@redocly/cli/bin/cli.js'), args, {
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      });
      expect([code, text]).toEqual([0, expect.stringContaining('"problems": []')]);
    },
    5 * MINUTES,
  );

  it(
    'a client that orval generates from the OpenAPI document compiles',
    async () => {
      const generated = await run(
        toolPath('orval/dist/bin/orval.mjs'),
        ['--config', 'orval.config.mjs'],
        {
          ORVAL_TARGET: join(folder, 'api.ts'),
        },
      );
      expect(generated).toMatchObject({ code: 0 });
      expect(await compile()).toEqual({ code: 0, text: '' });
    },
    5 * MINUTES,
  );

  it(
    'a client that oazapfts generates from the OpenAPI document compiles',
    async () => {
      const generated = await run(toolPath('oazapfts/dist/cli.js'), [
        DOCUMENT,
        join(folder, 'api.ts'),
      ]);
      expect(generated).toMatchObject({ code: 0 });
      expect(await compile()).toEqual({ code: 0, text: '' });
    },
    5 * MINUTES,
  );
});

/**
 * Installs the tools on first use, apart from the project's packages, since nobody needs them to build it. Without a
 * registry the tests are skipped, which the end of a run tells; CI fails.
 */
function installTools(): void {
  if (existsSync(toolPath('orval'))) return;
  const args = ['ci', '--no-fund', '--no-audit', '--ignore-scripts', '--loglevel=error'];
  try {
    const shell = process.platform === 'win32';
    execFileSync('npm', args, { cwd: projectPath(TOOLS), stdio: 'inherit', shell });
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    console.error(`The tools in ${TOOLS} cannot be installed: ${String(error)}`);
  }
}

function toolPath(name: string): string {
  return projectPath(`${TOOLS}/node_modules/${name}`);
}

function run(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return promisify(execFile)(process.execPath, [script, ...args], {
    cwd: projectPath(TOOLS),
    env: { ...process.env, ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      text: stdout + stderr,
    }),
  );
}
