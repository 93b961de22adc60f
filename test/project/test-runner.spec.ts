import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

const GOOD = `test('good', () => {}); test('as well', () => {});`;
const HANG = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
const HANGS = `test('hangs', () => { ${HANG} });`;
const HANGS_ONCE = `
  const fs = require('node:fs');
  test('hangs once', () => {
    if (fs.existsSync(__filename + '.begun')) return;
    fs.writeFileSync(__filename + '.begun', '');
    ${HANG}
  });`;
/** Each test ends before the silence is over, and all of them long after. */
const TAKES_LONG = `
  test.each([1, 2, 3])('takes its time', () => new Promise((end) => setTimeout(end, 4_000)));`;
const FAILS = `test('fails', () => { throw new Error('as it should'); });`;
const DOES_NOT_LOAD = `require('./absent.js');`;

/** More than Jest takes to begin a file on a busy machine. */
const SILENCE_MS = 8_000;

const RUN = `
  import { runSuites } from './scripts/lib/jest.mjs';
  const args = [process.argv[1], '--maxWorkers=3', 'js'];
  const result = await runSuites(args, {}, { silenceMs: ${SILENCE_MS} });
  console.log(JSON.stringify(result));`;

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
  const again = new Redis(env.TEST_REDIS_URL, { retryStrategy: () => 100 });
  again.on('error', () => {});
  const before = await again.get('before');
  again.disconnect();
  await stop();
  console.log(JSON.stringify({ usual, before }));`;

/** Which libraries a process has open once it has looked whether all packages are there. */
const LOOKS_AT_PACKAGES = `
  import { ensurePackages } from './scripts/lib/packages.mjs';
  ensurePackages();
  console.log(process.report.getReport().sharedObjects.join());`;

describe('what npm test runs on', () => {
  it('is SQLite for this Node.js, looked at elsewhere: who met that of another could not load it', async () => {
    const args = ['--input-type=module', '-e', LOOKS_AT_PACKAGES];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).not.toContain('better_sqlite3.node');
  });

  it('is an instance of its own, which is started again when it ends', async () => {
    const args = ['--input-type=module', '-e', LOSES_ITS_REDIS];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toEqual({ usual: false, before: null });
    expect(stderr).toContain('ended by itself and is started again');
  });
});

describe('how npm test runs its files', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'servicefido-runner-'))));
  afterEach(() => rm(folder, { recursive: true }));

  /** In a process of its own: what Jest says of these files is not about ours. */
  const run = async (files: Readonly<Record<string, string>>): Promise<unknown> => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const config = JSON.stringify({ rootDir: folder, testRegex: '\\.cjs$', transform: {} });
    const args = ['--input-type=module', '-e', RUN, '--', `--config=${config}`];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  };
  const path = (name: string) => relative(process.cwd(), join(folder, name));

  it('a file may take long whose tests end one after the other', async () => {
    expect(await run({ 'a.cjs': TAKES_LONG })).toMatchObject({ code: 0, passed: 3, unsteady: [] });
  }, 60_000);

  it('what hangs is killed and tried on its own: it is named, or has failed', async () => {
    expect(await run({ 'a.cjs': GOOD, 'b.cjs': HANGS, 'c.cjs': HANGS_ONCE })).toEqual({
      code: 1,
      passed: 3,
      failed: 1,
      skipped: 0,
      unsteady: [path('c.cjs')],
    });
  }, 60_000);

  it('what fails twice has failed, and so has a file that does not load', async () => {
    expect(await run({ 'a.cjs': GOOD, 'b.cjs': FAILS, 'c.cjs': DOES_NOT_LOAD })).toEqual({
      code: 1,
      passed: 2,
      failed: 2,
      skipped: 0,
      unsteady: [],
    });
  });
});
