import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { DATABASES } from '../support/databases.js';
import { commandsOn } from '../support/command.js';
import { FidoClient } from '../support/fido-client.js';
import { rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { runProgram, runUnread } from '../support/server-process.js';
import { TestServer } from '../support/test-server.js';
import { jsonLinesOf } from '../support/transfer.js';

it.each(DATABASES)(
  'servicefido export and import on %s print a line per user and counts, and leave audit rows',
  async (on) => {
    const folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    const database = await createServerDatabase(on);
    const server = await TestServer.start({ database });
    const command = (...words: string[]) => runProgram([...words, '--db', database.url]);
    try {
      const anna = new FidoClient(server.url);
      await anna.register('anna');
      // Only the server needs its certificate: the operator who runs a command may not be allowed to read it.
      const unreadable = ['--tls-cert', '/dev/null/cert.pem', '--tls-key', '/dev/null/key.pem'];
      const exported = await command('export', 'localhost', ...unreadable);
      expect(exported).toMatchObject({ code: 0, stderr: '' });
      const [header, user, end] = exported.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(user).toMatchObject({ username: 'anna', keys: [{ signCount: 1 }] });

      const file = join(folder, 'users.jsonl');
      const bert = { type: 'user', username: 'bert', userHandle: 'YmVydA', keys: [] };
      const thief = { ...user, username: 'carl', userHandle: 'Y2FybA' };
      const counted = { ...end, users: 3, keys: 2 };
      writeFileSync(file, jsonLinesOf([header, user, bert, thief, counted] as object[]));
      const imported = await command('import', 'localhost', file);
      expect(imported).toMatchObject({
        code: 1,
        stdout: [
          'Stored: 2 users, 0 keys',
          'Here already: 1 users, 1 keys',
          'Refused: 0 users, 1 keys',
          '',
        ].join('\n'),
        stderr: 'line 4\tcarl\tE0036R\tAnother user has this key.\n',
      });
      expect((await anna.signIn('anna')).status).toBe(200);

      writeFileSync(file, jsonLinesOf([header, user] as object[]));
      const cut = await command('import', 'localhost', file, '--dry-run');
      expect(cut).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^The file is not complete: .*\nWould be stored: 0 users/),
        stderr: 'the file\tE0045R\tThe last line is missing: the export was cut off.\n',
      });
      expect(await rowsOf(server, 'SELECT action, result FROM audit ORDER BY seq')).toEqual([
        { action: 'users.export', result: 'ok' },
        { action: 'users.import', result: 'ok' },
        { action: 'users.import.try', result: 'ok' },
      ]);
    } finally {
      await server.stop();
      await database.remove();
      rmSync(folder, { recursive: true });
    }
  },
);

describe('the audit row of a command', () => {
  let folder: string;
  let server: TestServer;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    server = await TestServer.start();
    await new FidoClient(server.url).register('anna');
  });
  afterEach(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const rows = () => rowsOf(server, 'SELECT action, result, code FROM audit ORDER BY seq');

  it('is stored for an export whose reader leaves before the end', async () => {
    const cut = await runUnread(['export', 'localhost', '--db', server.database.url]);
    expect(cut).toMatchObject({ code: 1, stderr: expect.stringContaining('EPIPE') });
    expect(await rows()).toEqual([{ action: 'users.export', result: 'ok', code: null }]);
  });

  it('is stored for an export whose first users cannot be read, as a refusal', async () => {
    await server
      .get(DataSource)
      .query('ALTER TABLE further_handles RENAME TO further_handles_away');
    const failed = await runProgram(['export', 'localhost', '--db', server.database.url]);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(await rows()).toEqual([{ action: 'users.export', result: 'refused', code: 'E0050R' }]);
  });

  it('is stored as a refusal for a fault, as over HTTP', async () => {
    const failed = await commandsOn(server.database)('import', 'localhost', folder);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('EISDIR') });
    expect(await rows()).toEqual([{ action: 'users.import', result: 'refused', code: 'E0050R' }]);
  });

  it.each([
    [['document', 'cancel', '7'], 'invoice.cancel', 'E0044R'],
    [['document', 'last', 'one'], 'database.restore', 'E0045R'],
  ])('is stored as a refusal for %s', async (words, action, code) => {
    expect(await commandsOn(server.database)(...words)).toMatchObject({ code: 1 });
    expect(await rows()).toEqual([{ action, result: 'refused', code }]);
  });

  it('is not stored for a mistake on the command line', async () => {
    const failed = await commandsOn(server.database)(
      'tenant',
      'add',
      'acme',
      '--display-name',
      ' ',
    );
    expect(failed).toMatchObject({ code: 2 });
    expect(await rows()).toEqual([]);
  });

  it('hides no fault if it cannot be stored', async () => {
    await server
      .get(DataSource)
      .query(
        "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no more rows'); END",
      );
    const failed = await commandsOn(server.database)('import', 'localhost', folder);
    expect(failed.stderr).toMatch(/^The refusal has no audit row: .*no more rows\nEISDIR.*\n$/);
  });
});
