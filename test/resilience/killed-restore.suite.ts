import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectPath } from '../../src/platform/project.js';
import { commandsOn } from '../support/command.js';
import type { TestDatabase } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { runProgram } from '../support/server-process.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const PATIENCE_MS = 60_000;
const NAME = 'test.sqlite';
const PRELOADED = pathToFileURL(projectPath('test/support/crash/copy-each-step.mjs')).href;

describe('a restore', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-killed-restore-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const databaseIn = (place: string): TestDatabase => ({
    url: `sqlite:${join(place, NAME)}`,
    remove: async () => undefined,
  });

  /** The users that a server knows when it starts on the database of a folder. */
  async function usersIn(place: string, clients: Readonly<Record<string, FidoClient>>) {
    const server = await TestServer.start({ database: databaseIn(place) });
    const known: string[] = [];
    for (const [username, { authenticator }] of Object.entries(clients)) {
      const again = new FidoClient(server.url, { authenticator });
      if ((await again.signIn(username)).status === 200) known.push(username);
    }
    await server.stop();
    return known;
  }

  it('a killed restore leaves the earlier or the restored database and can be repeated', async () => {
    const [backup, place, copies] = ['backup', 'place', 'copies'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    mkdirSync(copies);
    const server = await TestServer.start();
    const clients = { anna: new FidoClient(server.url), bert: new FidoClient(server.url) };
    await clients.anna.register('anna');
    expect((await commandsOn(server.database)('backup', backup)).code).toBe(0);
    await clients.bert.register('bert');
    // While the server runs: the write-ahead log is there, as after a kill.
    cpSync(dirname(server.database.url.slice('sqlite:'.length)), place, { recursive: true });
    await server.stop();

    const words = ['restore', backup, '--db', databaseIn(place).url];
    const run = await runProgram([...words, '--admin-password', ADMIN.password], {
      NODE_OPTIONS: `--import=${PRELOADED}`,
      WATCHED_FOLDER: place,
      COPIES_FOLDER: copies,
    });
    expect(run).toMatchObject({ code: 0 });

    const seen = new Set<string>();
    const outcomes: string[] = [];
    for (const copy of readdirSync(copies).sort()) {
      const left = join(copies, copy);
      // Many steps change only rows of the copy that is being made; one each of these is enough.
      const files = readdirSync(left).map((file) => file.replace(/\.[0-9a-f]{32}\./, '.N.'));
      if (seen.size === seen.add(files.join()).size) continue;
      outcomes.push((await usersIn(left, clients)).join());
      const again = await commandsOn(databaseIn(left))('restore', backup);
      expect(again).toMatchObject({ code: 0 });
      expect(await usersIn(left, clients)).toEqual(['anna']);
    }
    expect(new Set(outcomes)).toEqual(new Set(['anna,bert', 'anna']));
    expect([...outcomes].sort().reverse()).toEqual(outcomes);
  });

  it('a restore reports progress while SQLite blocks its thread', async () => {
    const part = join(folder, 'part');
    const errors = join(folder, 'errors');
    writeFileSync(part, Buffer.alloc(1e6));
    const output = openSync(errors, 'w');
    const copying = pathToFileURL(projectPath('dist/cli/restore/sqlite-files.js')).href;
    // The work ends after its output, without yielding the thread.
    const program = `
        import { statSync } from 'node:fs';
        import { withProgress } from '${copying}';
        const sleeping = new Int32Array(new SharedArrayBuffer(4));
        const hasSpoken = () => statSync('${errors}').size > 0;
        withProgress({ what: 'Copying', part: '${part}', total: 2e6 }, () => {
          while (!hasSpoken()) Atomics.wait(sleeping, 0, 0, 50);
        });`;
    const file = join(folder, 'program.mjs');
    writeFileSync(file, program);
    const child = spawn(process.execPath, [file], {
      stdio: ['ignore', 'ignore', output],
      timeout: PATIENCE_MS,
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    closeSync(output);
    expect(code).toBe(0);
    expect(readFileSync(errors, 'utf8')).toMatch(/^Copying: 1 of about 2 MB, \d+ s\n/);
  });
});
