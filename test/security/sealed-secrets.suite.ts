import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { EntitySource } from '../../src/platform/database/entities/entity-source.js';
import { STORED_APPS } from '../../src/tenancy/tenancy-rows.js';
import { adminClient } from '../support/client.js';
import { commandsOn } from '../support/command.js';
import { DATABASES, type TestDatabase } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { keySetOf } from '../support/key-set.js';
import { lastAuditRow, rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

interface Stored {
  readonly name: string;
  readonly value: string;
}

describe('sealed secrets, with --secret-key-file', () => {
  let folder: string;
  let database: TestDatabase;
  const servers: TestServer[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    await database.remove();
    rmSync(folder, { recursive: true });
  });

  const keys = { old: Buffer.alloc(32, 1), new: Buffer.alloc(32, 2) };

  /** Records beside the secrets, which need no seal. */
  const OPEN = `'audit-head', '${STORED_APPS}'`;
  const values = async (server: TestServer) => (await stored(server)).map(({ value }) => value);

  const isSealed = (value: string) => /^sealed:1:[\w-]{11}:[\w-]+$/.test(value);

  it('a start with a key file seals all secrets of an earlier database, and signing keys remain', async () => {
    database = await createServerDatabase('SQLite');
    const before = await start();
    const kid = await signIn(before);
    const open = await stored(before);
    expect(open.length).toBeGreaterThanOrEqual(4);
    const after = await start('old');
    const sealed = await stored(after);
    expect(sealed.map(({ name }) => name)).toEqual(open.map(({ name }) => name));
    expect(sealed.filter(({ value }) => !isSealed(value))).toEqual([]);
    expect(await signIn(after)).toBe(kid);
    // An instance that started before the file existed continues until its next start.
    expect(await signIn(before)).toBe(kid);
  });

  it.each(DATABASES)(
    '`secrets reseal` seals with a new key beside a server on %s, and the old key may go',
    async (on) => {
      database = await createServerDatabase(on);
      const server = await start('old', 'new');
      const hook = { tenant: 'default', url: 'https://app.example.com/', events: ['policy'] };
      expect((await adminClient(server.url).post('/tenantapi/webhooks', hook)).status).toBe(201);
      const kid = await signIn(server);
      const old = await values(server);
      const reseal = (...names: (keyof typeof keys)[]) =>
        commandsOn(database)('secrets', 'reseal', ...fileOf(...names));
      expect(await reseal()).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('needs the file of keys'),
      });
      expect(await reseal('new')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /^--secret-key-file: the file lacks the key [\w-]{11}, which/,
        ),
      });
      expect(await values(server)).toEqual(old);
      const resealed = await reseal('new', 'old');
      const renewed = await values(server);
      expect(resealed).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`All ${renewed.length} secrets are sealed with the key `),
      });
      expect(renewed.length).toBeGreaterThanOrEqual(old.length);
      expect(renewed.filter((value) => old.includes(value) || !isSealed(value))).toEqual([]);
      expect(await signIn(server)).toBe(kid);
      expect((await lastAuditRow(server)).action).toBe('secrets.reseal');
      expect(await signIn(await restart('new'))).toBe(kid);
    },
  );

  it('a start with a new key seals secrets again, and the old key may go', async () => {
    database = await createServerDatabase('SQLite');
    const kid = await signIn(await start('old'));
    const old = await values(servers[0] as TestServer);
    await expect(restart('new')).rejects.toThrow(
      /^--secret-key-file: the file lacks the key [\w-]{11}, which sealed "/,
    );
    await expect(restart()).rejects.toThrow(
      /^--secret-key-file: is needed: it has the key [\w-]{11}, which sealed "/,
    );
    const renewed = await values(await restart('new', 'old'));
    expect(renewed.filter((value) => old.includes(value) || !isSealed(value))).toEqual([]);
    const server = await restart('new');
    expect(await signIn(server)).toBe(kid);

    const sql =
      "UPDATE signing_keys SET private_key = (SELECT value FROM secrets WHERE name = 'challenges')";
    await server.get(Database).commit([{ sql, params: [] }]);
    await expect(restart('new')).rejects.toThrow(/^the secret "signing-key .*" .* was altered$/);
  });

  it.each(DATABASES)(
    'a start with other keys is refused before the tables change on %s',
    async (on) => {
      database = await createServerDatabase(on);
      const [auditKey, otherKey] = ['audit.key', 'other.key'].map((name) => join(folder, name));
      if (auditKey === undefined || otherKey === undefined) throw new Error('There are two files.');
      for (const file of [auditKey, otherKey]) writeFileSync(file, file.repeat(9), { mode: 0o600 });
      await start('old');
      const run = commandsOn(database);
      expect(
        (await run('audit', 'seal', ...fileOf('old'), '--audit-key-file', auditKey)).code,
      ).toBe(0);
      for (const server of servers.splice(0)) await server.stop();
      const source = await new EntitySource(dataSourceOptions(database.url)).initialize();
      const executed = async () =>
        (await source.query<unknown[]>('SELECT name FROM migrations')).length;
      try {
        await source.query('DELETE FROM migrations WHERE id = (SELECT MAX(id) FROM migrations m)');
        const before = await executed();
        const args = ['--port', '0', ...fileOf('new'), '--audit-key-file', otherKey];
        const { code, stdout, stderr } = await run(...args);
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(stderr.split('\n')).toEqual([
          expect.stringMatching(/^--audit-key-file: the audit trail is sealed with the key /),
          expect.stringMatching(
            /^--secret-key-file: the file lacks the key [\w-]{11}, which sealed "/,
          ),
          '',
        ]);
        expect(await executed()).toBe(before);
      } finally {
        await source.destroy();
      }
    },
  );

  /** The option that names a file of these keys; none without one. */
  function fileOf(...names: (keyof typeof keys)[]): string[] {
    const file = join(folder, `${names.join('-')}.keys`);
    const lines = names.map((name) => `${keys[name].toString('base64')}\n`);
    writeFileSync(file, lines.join(''), { mode: 0o600 });
    return names.length > 0 ? ['--secret-key-file', file] : [];
  }

  /** An instance whose file holds these keys, or that has none. */
  async function start(...names: (keyof typeof keys)[]): Promise<TestServer> {
    const [, secretKeyFile] = fileOf(...names);
    const options = secretKeyFile === undefined ? {} : { secretKeyFile };
    const server = await TestServer.start({ database, options });
    servers.push(server);
    return server;
  }

  async function restart(...names: (keyof typeof keys)[]): Promise<TestServer> {
    for (const server of servers.splice(0)) await server.stop();
    return start(...names);
  }

  /** The secrets that a copy of the database reveals. */
  async function stored(server: TestServer): Promise<Stored[]> {
    return [
      ...(await rowsOf<Stored>(server, `SELECT * FROM secrets WHERE name NOT IN (${OPEN})`)),
      ...(await rowsOf<Stored>(
        server,
        'SELECT kid AS name, private_key AS value FROM signing_keys',
      )),
      ...(await rowsOf<Stored>(server, "SELECT 'webhook' AS name, secret AS value FROM webhooks")),
    ];
  }

  /** Registers a user and signs in; the token is verified with the server's published keys. */
  async function signIn(server: TestServer) {
    const client = new FidoClient(server.url);
    const username = `alice-${randomUUID()}`;
    await client.register(username);
    const token = String((await client.signIn(username)).body['token']);
    const keys = createLocalJWKSet(await keySetOf(client));
    return (await jwtVerify(token, keys)).protectedHeader.kid;
  }
});
