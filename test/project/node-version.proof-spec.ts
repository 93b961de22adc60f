import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectPath } from '../../src/platform/project.js';
import { eventually } from '../support/eventually.js';
import { NpmRegistry, integrityOf } from '../support/npm-registry.js';
import { ProjectCopy } from '../support/project-copy.js';

const PLATFORM = `${process.platform}-${process.arch}`;
const STAND_IN = 'node-stand-in@24.0.0';

describe('an outdated Node.js', () => {
  let project: ProjectCopy;
  let registry: NpmRegistry;
  let archive: Buffer;

  beforeAll(async () => {
    archive = packStandIn();
    const [name = '', version = ''] = STAND_IN.split('@');
    registry = await NpmRegistry.serve([{ name, version, archive }]);
  });
  afterAll(() => registry.close());

  beforeEach(() => {
    project = new ProjectCopy(['package.json', 'scripts']);
    const manifest = JSON.parse(readFileSync(project.path('package.json'), 'utf8')) as object;
    const scripts = { start: 'node scripts/waits.mjs', which: 'command -v node' };
    writeFileSync(project.path('package.json'), JSON.stringify({ ...manifest, scripts }));
    writeFileSync(project.path('old.mjs'), PRETEND_OLD);
    writeFileSync(project.path('scripts/probe.mjs'), PROBE);
    writeFileSync(project.path('scripts/waits.mjs'), WAITS);
    pin(integrityOf(archive));
  });
  afterEach(() => project.remove());

  it('a script on an outdated Node.js fetches the pinned version once and runs with it', async () => {
    const program = project.path(`.node/${STAND_IN}/node`);
    const fetching = `servicefido: fetching ${STAND_IN} from npm into .node: this is Node.js 20.20.2`;
    const running = ['runs on the stand-in a,b', program];
    const first = await outcome(script('probe', ['a', 'b']));
    expect(first).toMatchObject({ code: 0, lines: running });
    expect(first.errors).toContain(fetching);
    expect(await outcome(script('probe', ['a', 'b']))).toMatchObject({ code: 0, lines: running });
  });

  it('a script discards an archive of Node.js that is not the pinned one', async () => {
    pin(integrityOf(Buffer.from('another')));
    const { code, errors } = await outcome(script('probe'));
    expect(code).toBe(1);
    expect(errors).toContain(`${STAND_IN} is not the pinned one`);
    expect(readdirSync(project.path('.node'), { recursive: true })).toEqual([]);
  });

  it('a script fails if npm has no Node.js for the machine', async () => {
    writeFileSync(project.path('scripts/lib/pinned-node.json'), '{}');
    const { code, errors } = await outcome(script('probe'));
    expect(code).toBe(1);
    expect(errors).toContain(`npm has none for ${PLATFORM}. Install Node.js 24`);
  });

  describe('dist/main.js', () => {
    const main = async () => {
      mkdirSync(project.path('dist'), { recursive: true });
      cpSync(projectPath('dist/main.js'), project.path('dist/main.js'));
      writeFileSync(
        project.path('dist/server.js'),
        'console.log(process.env.STAND_IN, ...process.argv.slice(2)); process.exitCode = 3;',
      );
      return outcome(start(process.execPath, ['dist/main.js', 'key', 'add']));
    };

    it('dist/main.js on an outdated Node.js goes on under the version of the scripts, and prints only what the command prints', async () => {
      const { lines, code } = await main();
      expect({ lines, code }).toEqual({ lines: ['the stand-in key add'], code: 3 });
    });

    it('dist/main.js on an outdated Node.js says which one is needed where there are no scripts', async () => {
      rmSync(project.path('scripts'), { recursive: true });
      const { lines, errors, code } = await main();
      expect({ lines, code }).toEqual({ lines: [''], code: 2 });
      expect(errors).toBe(
        'servicefido: this is Node.js 20.20.2, and 22.14 or later is needed. Install Node.js 24 from https://nodejs.org and try again.\n',
      );
    });
  });

  if (process.platform === 'linux') {
    it('a script fails on musl, for which npm has no Node.js', async () => {
      const { code, errors } = await outcome(script('probe', [], { NO_GLIBC: 'yes' }));
      expect(code).toBe(1);
      expect(errors).toContain('npm has none for musl');
    });
  }

  it('a script passes SIGTERM on and exits with the code of its command', async () => {
    const child = script('waits');
    const ended = outcome(child);
    await waits(child);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 7, lines: expect.arrayContaining(['told']) });
  });

  it('a script ends by the signal that ended its command', async () => {
    const child = script('waits');
    const ended = outcome(child);
    process.kill(await waits(child), 'SIGKILL');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  it('the server ends when only npm receives the signal', async () => {
    const npm = start('npm', ['start']);
    const output = text(npm.stdout);
    await waits(npm);
    npm.kill('SIGTERM');
    // The server has the pipe, too: it closes when all have ended.
    expect(await output).toContain('told');
  });

  it('with-node.mjs runs a command on the version that it names', async () => {
    const command = ['24', 'sh', '-c', 'command -v node; exit 3'];
    expect(await outcome(script('with-node', command))).toMatchObject({
      code: 3,
      lines: expect.arrayContaining([project.path(`.node/${STAND_IN}/node`)]),
    });
  });

  /** The process ID of the script that waits, once it does. */
  async function waits(child: ReturnType<typeof start>): Promise<number> {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return await eventually(() => {
      const pid = /waits as (\d+)/.exec(output)?.[1];
      if (pid === undefined) throw new Error(`It does not wait: ${output}`);
      return Number(pid);
    });
  }

  function pin(integrity: string) {
    const pins = { 24: { [PLATFORM]: { package: STAND_IN, integrity } }, 22: {} };
    writeFileSync(project.path('scripts/lib/pinned-node.json'), JSON.stringify(pins));
  }

  /** Starts a program of the project on the old Node.js. */
  function start(program: string, args: readonly string[], env: Record<string, string> = {}) {
    return spawn(program, args, {
      cwd: project.root,
      env: {
        ...process.env,
        ...env,
        NODE_OPTIONS: `--import=${project.path('old.mjs')}`,
        npm_config_registry: registry.url,
        npm_config_cache: project.path('npm-cache'),
      },
    });
  }

  async function outcome(child: ReturnType<typeof start>) {
    const [output, errors, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
    ]);
    return { lines: output.trim().split('\n'), errors, code, signal };
  }

  function script(name: string, args: readonly string[] = [], env?: Record<string, string>) {
    return start(process.execPath, [`scripts/${name}.mjs`, ...args], env);
  }
});

it('the Node.js versions that replace an older one are supported, so that no command restarts itself endlessly', () => {
  const read = (path: string): unknown => JSON.parse(readFileSync(projectPath(path), 'utf8'));
  const { engines } = read('package.json') as { engines: { node: string } };
  expect(engines.node).toBe('>=22.14');
  const pins = read('scripts/lib/pinned-node.json') as Record<
    string,
    Record<string, { package: string; integrity: string }>
  >;
  // The tests run README's commands on version 20.
  expect(Object.keys(pins)).toEqual(['20', '22', '24']);
  delete pins['20'];
  const versions = Object.entries(pins).flatMap(([major, platforms]) =>
    Object.values(platforms).map((one) => ({ major, ...one })),
  );
  expect(versions.length).toBeGreaterThan(0);
  for (const { major, package: name, integrity } of versions) {
    const [, itsMajor, minor] = /@(\d+)\.(\d+)\.\d+$/.exec(name) ?? [];
    expect(itsMajor).toBe(major);
    expect(major === '24' || Number(minor) >= 14).toBe(true);
    expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/);
  }
});

/** An npm package like those of Node.js: its program is this Node.js, and says that it is the stand-in. */
function packStandIn(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-stand-in-'));
  const [name, version] = STAND_IN.split('@');
  const program = join(folder, 'bin/node');
  mkdirSync(dirname(program));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version }));
  writeFileSync(program, `#!/bin/sh\nSTAND_IN='the stand-in' exec '${process.execPath}' "$@"\n`);
  execFileSync('npm', ['pack', '--silent'], { cwd: folder });
  const archive = readFileSync(join(folder, `${STAND_IN.replace('@', '-')}.tgz`));
  rmSync(folder, { recursive: true });
  return archive;
}

/** Makes this Node.js report an old version, unless the stand-in started it. */
const PRETEND_OLD = `
  const { STAND_IN, NO_GLIBC } = process.env;
  if (!STAND_IN) {
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
  }
  if (NO_GLIBC) process.report.getReport = () => ({ header: {} });`;

/** Prints the version on which it runs. */
const PROBE = `
  import { npm } from './lib/npm.mjs';
  import { run } from './lib/run.mjs';
  await run(async () => {
    console.log('runs on', process.env.STAND_IN, process.argv.slice(2).join());
    npm(['run', '--silent', 'which'], '');
  });`;

/** Waits for a signal, like the server. */
const WAITS = `
  import { endWithShell } from './lib/end-with-shell.mjs';
  import { run } from './lib/run.mjs';
  await run(async () => {
    process.once('SIGTERM', () => (console.log('told'), process.exit(7)));
    endWithShell(() => process.emit('SIGTERM'));
    setInterval(() => {}, 1000);
    console.log('waits as', process.pid);
  });`;
