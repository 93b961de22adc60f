import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SUITES } from '../../scripts/lib/suites.mjs';

/** Ends the Redis that `npm test` starts for itself, and asks it again. */
const LOSES_ITS_REDIS = `
  import { Redis } from 'ioredis';
  import { findServer } from './scripts/lib/services/find-server.mjs';
  import { REDIS } from './scripts/lib/services/redis.mjs';
  delete process.env.TEST_REDIS_URL;
  const { env, stop } = await findServer(REDIS, { scratch: true });
  const usual = env.TEST_REDIS_URL === REDIS.usual;
  const ends = new Redis(env.TEST_REDIS_URL, { retryStrategy: () => null });
  await ends.set('before', 'x');
  await ends.shutdown('NOSAVE').catch(() => {});
  const again = new Redis(env.TEST_REDIS_URL, { retryStrategy: () => 100, maxRetriesPerRequest: null });
  again.on('error', () => {});
  const before = await again.get('before');
  again.disconnect();
  await stop();
  console.log(JSON.stringify({ usual, before }));`;

/** The libraries that a process has open after its check for all packages. */
const LOOKS_AT_PACKAGES = `
  import { ensurePackages } from './scripts/lib/packages.mjs';
  ensurePackages();
  console.log(process.report.getReport().sharedObjects.join());`;

describe('the services of npm test', () => {
  it('the check of packages does not load the binary of SQLite', async () => {
    const args = ['--input-type=module', '-e', LOOKS_AT_PACKAGES];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).not.toContain('better_sqlite3.node');
  });

  it('npm test starts a Redis of its own, and restarts it when it ends', async () => {
    const args = ['--input-type=module', '-e', LOSES_ITS_REDIS];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toEqual({ usual: false, before: null });
    expect(stderr).toContain('ended by itself and is started again');
  });
});

describe('a script of the project', () => {
  it('a script names an unknown flag in one line', async () => {
    const args = ['scripts/bench.mjs', '--fast'];
    const ran = promisify(execFile)(process.execPath, args);
    const stderr = "servicefido: Unknown option '--fast'\n";
    await expect(ran).rejects.toMatchObject({ code: 1, stderr });
  });
});

/** What `npm test` prints and its exit code without any service, in a process of its own. */
const withoutServices = async (env: Readonly<Record<string, string>>) => {
  const args = ['scripts/test.mjs', 'test/resilience/workers.proof-spec.ts'];
  const none = { TEST_MYSQL_URL: '', TEST_REDIS_URL: '', CHROMIUM: '' };
  const ran = promisify(execFile)(process.execPath, args, {
    env: { ...process.env, CI: '', ...none, ...env },
  });
  return ran.then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { readonly code: number; readonly stderr: string }) => ({ code, stderr }),
  );
};

describe('npm test without services', () => {
  it('npm test names missing services and the files with tests that did not run', async () => {
    const { code, stderr } = await withoutServices({});
    expect(code).toBe(0);
    for (const name of ['MariaDB', 'Redis', 'Chromium']) {
      expect(stderr).toMatch(new RegExp(`${name} +MISSING: `));
    }
    expect(stderr).toMatch(
      /Not run:\n {2}test\/resilience\/workers\.proof-spec\.ts: [1-9]\d* tests/,
    );
  });

  it('npm test without services fails with CI=true', async () => {
    const { code, stderr } = await withoutServices({ CI: 'true' });
    expect(code).toBe(1);
    expect(stderr).toContain('The run fails without MariaDB and Redis and Chromium.');
  });
});

describe('the suites that a file of tests consists of', () => {
  it('each suite is imported by exactly one e2e or proof file', () => {
    const files = readdirSync('test', { recursive: true }).map((name) =>
      join('test', String(name)),
    );
    const imported = files
      .filter((path) => /\.(?:e2e|proof)-spec\.ts$/.test(path))
      .flatMap((path) =>
        [...readFileSync(path, 'utf8').matchAll(/^import '(.*\.suite)\.js';$/gm)].map(
          ([, suite = '']) => join(dirname(path), `${suite}.ts`),
        ),
      );
    expect(imported.toSorted()).toEqual(
      files.filter((path) => path.endsWith('.suite.ts')).toSorted(),
    );
  });
});

it('npm run long lists every script of its folder and every suite with a line', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/long.mjs']);
  const listed = [...stdout.matchAll(/^(\w+) {2,}\w/gm)].map(([, name]) => name);
  const scripts = readdirSync('scripts/long').map((file) => basename(file, '.mjs'));
  expect(listed.toSorted()).toEqual([...scripts, ...Object.keys(SUITES)].toSorted());
});
