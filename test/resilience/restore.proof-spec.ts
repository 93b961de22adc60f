import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { EventNumbering } from '../../src/events/numbering/event-numbering.js';
import { NumberedEvents } from '../../src/events/numbering/numbered-events.js';
import { titleOf } from '../../src/health/setup/setup-finding.js';
import { SetupFindings } from '../../src/health/setup/setup-findings.js';
import { ForwardEvents } from '../../src/user-admin/events/forward-events.js';
import { EVENT_KINDS } from '../../src/events/event.entity.js';
import { eventJson } from '../../src/events/event.answer.js';
import { issueKey, keyClient, revokeKey } from '../support/application-keys.js';
import { Backups, RESTORABLE } from '../support/backups.js';
import { BrowserClient } from '../support/browser-client.js';
import { BusyUsers } from '../support/busy-users.js';
import { adminClient } from '../support/client.js';
import { commandsOn } from '../support/command.js';
import { createDatabase, type TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { addClient, discover, startIssuer } from '../support/oidc-issuer.js';
import { OidcSession } from '../support/oidc-session.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { ADMIN, FAST, TestServer } from '../support/test-server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import './killed-restore.suite.js';

const TIME_MS = 600_000;
const DAY_MS = 86_400_000;
const USERS = '/userapi/manageusers?limit=1';

describe.each(RESTORABLE)('a restored backup on %s', (on) => {
  let folder: string;
  let backups: Backups;
  let databases: TestDatabase[];
  let receiver: WebhookReceiver;
  let server: TestServer;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-restore-'));
    backups = new Backups(on, folder);
    databases = [await createServerDatabase(on)];
    receiver = new WebhookReceiver();
    await receiver.start();
  });
  afterEach(async () => {
    await server.stop();
    await receiver.kill();
    for (const database of databases) await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }, TIME_MS);

  const current = (): TestDatabase => databases.at(-1) as TestDatabase;
  const admin = () => adminClient(server.url);

  const received = () => new Set(receiver.received.map(({ data }) => String(data['id'])));
  const store = (date: string) =>
    admin().get(`/userapi/invoice?tenant=default&date=${date}&invoicelog=yes`);
  const numberOf = (body: Readonly<Record<string, unknown>>) =>
    (body['invoice'] as { number: unknown }).number;

  it(
    'readers, webhooks and documents continue after a restore, and no number is used twice',
    async () => {
      await start();
      await admin().post('/tenantapi/webhooks', {
        tenant: 'default',
        url: receiver.url,
        events: EVENT_KINDS,
      });
      const kept = await issueKey(server.url, { tenant: 'default', scopes: ['users:read'] });
      const revoked = await issueKey(server.url, {
        name: 'stolen',
        tenant: 'default',
        scopes: ['users:read'],
      });
      const now = new Date(server.clock.now());
      const ended = new Date(now);
      const today = now.toISOString().slice(0, 10);
      ended.setUTCDate(0);
      const month = ended.toISOString().slice(0, 10);
      expect(numberOf((await store(today)).body)).toBe('S-1');
      const seen = new Map<string, string>();

      const users = new BusyUsers([server.url], 2);
      await eventually(() => expect(users.registered.size).toBeGreaterThan(3), TIME_MS);
      const early = await note(seen);
      const inBackup = new Map(users.registered);
      const file = await backups.make(current());
      await eventually(() => expect(users.registered.size).toBeGreaterThan(inBackup.size + 3));
      await users.stop();
      const late = await note(seen);
      await revokeKey(server.url, revoked.key);
      const sent = await store(month);
      expect(numberOf(sent.body)).toBe(1);
      await eventually(async () => {
        const missing = (await idsBehind('0')).filter((id) => !received().has(id));
        expect(missing).toEqual([]);
      }, TIME_MS);
      const file2 = log();
      await lose();

      const said = await backups.restore(file, current(), '--log', file2);
      expect(said).toMatch(/application-key\.revoke .*"target":"stolen"/);
      expect(said).toMatch(/\.\/servicefido document last NUMBER/);
      expect(said).not.toMatch(/suspended/);
      await start();
      for (const [username, { authenticator }] of inBackup) {
        const again = new FidoClient(server.url, { authenticator });
        expect((await again.signIn(username)).status).toBe(200);
      }
      expect((await keyClient(server.url, kept.secret).get(USERS)).status).toBe(200);

      // A reader that was behind the backup's last event is led back to it, and misses nothing.
      const refused = await read(late);
      expect(refused).toMatchObject({ reason: 'cursor.epoch', next: expect.any(String) });
      expect((await idsBehind(early)).length).toBeGreaterThan(0);
      const known = new Set([...seen.values(), ...(await idsBehind(refused.next))]);
      await note(seen);
      const restored = await idsBehind('0');
      expect(restored.filter((id) => !known.has(id))).toEqual([]);
      await eventually(() => {
        expect(restored.filter((id) => !received().has(id))).toEqual([]);
      }, TIME_MS);

      const run = commandsOn(current());
      expect((await store(today)).body).toMatchObject({ reason: 'invoice.lastDocument' });
      expect((await run('document', 'last', 'one')).code).toBe(1);
      const last = await run('document', 'last', '1');
      expect(last.stdout).toMatch(/next invoice is R1-1.*\n.*Lost documents, by number: 1\./);
      expect(numberOf((await store(today)).body)).toBe('S-R1-1');
      expect((await store(month)).body).toMatchObject({ reason: 'invoice.lost' });
      expect((await admin().get('/userapi/invoices')).body).toMatchObject({ lost: [1] });
      const paper = join(folder, 'invoice.json');
      writeFileSync(paper, sent.text);
      expect(await run('document', 'enter', paper)).toMatchObject({ code: 0 });
      expect((await run('document', 'enter', paper)).code).toBe(1);
      expect(numberOf((await store(month)).body)).toBe(1);
      const cancelled = await admin().post('/userapi/invoices/1/cancel', { reason: 'Restored' });
      expect(cancelled.body).toMatchObject({ invoice: { number: 'R1-1', cancels: 1 } });
      expect(numberOf((await store(month)).body)).toBe('R1-2');
      const credit = await admin().post('/userapi/invoices/R1-2/cancel', { reason: 'Again' });
      expect(credit.body).toMatchObject({ invoice: { number: 'R1-3', cancels: 'R1-2' } });
      const { invoices } = (await admin().get('/userapi/invoices')).body as {
        invoices: { number: unknown; cancels?: unknown }[];
      };
      const listed = invoices.map(({ number, cancels }) => `${number} ${cancels ?? ''}`.trim());
      expect(listed.sort()).toEqual(['1', 'R1-1 1', 'R1-2', 'R1-3 R1-2', 'S-1', 'S-R1-1']);
    },
    TIME_MS,
  );

  it(
    'accepts no ticket, invitation, setup link or session of the backup, which may be used up',
    async () => {
      await start('ticket');
      const issue = async (path: string, username: string) => {
        const asked = { username, relyingParty: 'localhost' };
        const { body } = await admin().post(path, asked);
        return String(body['ticket'] ?? body['code']);
      };
      const permits = [
        { username: 'anna', ticket: await issue('/userapi/tickets', 'anna') },
        { username: 'bert', ticket: await issue('/userapi/invitations', 'bert') },
      ];
      const console = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
      await console.open('/console/accounts');
      await console.submit('/console/accounts', { name: 'carla', role: 'auditor' });
      expect(await countOf(server, 'console_setups')).toBe(1);
      const file = await backups.make(current());
      for (const { username, ticket } of permits) {
        const used = await new FidoClient(server.url).register(username, { ticket });
        expect(used.status).toBe(200);
      }
      const logged = log();
      await lose();

      const flags = ['--log', logged, '--last-document', '0'];
      const said = await backups.restore(file, current(), ...flags);
      expect(said).toContain('Tickets (1), invitations (1), setup links, console sessions');
      expect(said).not.toMatch(/suspended/);
      await start('ticket');
      for (const { username, ticket } of permits) {
        const again = await new FidoClient(server.url).beginRegistration(username, { ticket });
        expect(again.body).toMatchObject({ errorCode: 'E0043R' });
      }
      expect(await countOf(server, 'console_setups')).toBe(0);
      expect(await countOf(server, 'console_sessions')).toBe(0);
    },
    TIME_MS,
  );

  it(
    'ends sessions, codes and tokens of OpenID Connect, which may have ended since the backup',
    async () => {
      server = await startIssuer({ database: current(), speed: FAST });
      const config = await discover(await addClient(server));
      const one = await OidcSession.begin(server.url, config, 'anna');
      const stored = await countOf(server, 'oidc_records');
      const file = await backups.make(current());
      const { port } = new URL(server.url);
      const logged = log();
      await lose();

      const flags = ['--log', logged, '--last-document', '0'];
      const said = await backups.restore(file, current(), ...flags);
      server = await startIssuer({ database: current(), speed: FAST, port: Number(port) });
      expect((await one.user.signIn('anna')).status).toBe(200);
      await one.expectOver();
      expect(await countOf(server, 'oidc_records')).toBe(0);
      expect(said).toContain(`sessions, codes and tokens of OpenID Connect (${stored})`);
    },
    TIME_MS,
  );

  it(
    'trusts nothing that may have been revoked if the log is missing, and distinguishes two restores',
    async () => {
      await start();
      const { key, secret } = await issueKey(server.url, {
        tenant: 'default',
        scopes: ['tickets', 'users:read'],
      });
      const calls = () => keyClient(server.url, secret);
      const anna = { username: 'anna', relyingParty: 'localhost' };
      expect((await calls().post('/userapi/tickets', anna)).status).toBe(201);
      await new FidoClient(server.url).register('bert');
      const seen = new Map<string, string>();
      const file = await backups.make(current());
      await new FidoClient(server.url).register('carl');
      await lose();

      const said = await backups.restore(file, current(), '--last-document', '0');
      expect(said).toMatch(/cannot be known: no log was given/);
      expect(said).toMatch(/next invoice is R1-1.*\n.*No document is lost/);
      await start();
      expect((await calls().get(USERS)).status).toBe(401);
      const run = commandsOn(current());
      expect((await run('key', 'list')).stdout).toMatch(/\tsuspended$/m);
      expect(await run('key', 'confirm', key.id)).toMatchObject({ code: 0 });
      expect((await run('key', 'confirm', key.id)).code).toBe(1);
      expect((await calls().get(USERS)).status).toBe(200);
      expect(await countOf(server, 'tickets')).toBe(0);
      await new FidoClient(server.url).register('dora');
      const late = await note(seen);
      await lose();

      await backups.restore(file, current(), '--last-document', '0');
      await start();
      await new FidoClient(server.url).register('emil');
      await new FidoClient(server.url).register('fred');
      const refused = await read(late);
      expect(refused).toMatchObject({ reason: 'cursor.epoch' });
      const known = new Set([...seen.values(), ...(await idsBehind(refused.next))]);
      await note(seen);
      expect((await idsBehind('0')).filter((id) => !known.has(id))).toEqual([]);
    },
    TIME_MS,
  );

  it.each(['with the former database', 'without it'])(
    'a restore names what a command revoked in the last audit row, %s',
    async (which) => {
      await start();
      const { key } = await issueKey(server.url, { tenant: 'default', scopes: ['users:read'] });
      const file = await backups.make(current());
      expect(await commandsOn(current())('key', 'revoke', key.id)).toMatchObject({ code: 0 });
      // The server's log has no row of the command.
      const flags = ['--log', log(), '--last-document', '0'];
      await server.stop();
      const database = current().url.replace('sqlite:', '');
      if (on === 'SQLite') {
        // One of the two sources is enough.
        const lost = which === 'without it' ? database : join(dirname(database), 'commands.log');
        rmSync(lost);
      }
      const said = await backups.restore(file, current(), ...flags);
      expect(said).toMatch(new RegExp(`application-key\\.revoke .*"target":"${key.name}"`));
      expect(said).not.toMatch(/suspended/);
      await start();
      const titles = (await server.get(SetupFindings).all()).map(titleOf);
      expect(titles).not.toContain('No backup has been made yet.');
    },
    TIME_MS,
  );

  it(
    'trusts no log without a row of the server, though a command has logged one',
    async () => {
      await start();
      const issue = (name: string) =>
        issueKey(server.url, { name, tenant: 'default', scopes: ['users:read'] });
      const [one, other] = [await issue('one'), await issue('other')];
      const file = await backups.make(current());
      expect(await commandsOn(current())('key', 'revoke', one.key.id)).toMatchObject({ code: 0 });
      await revokeKey(server.url, other.key);
      const empty = join(folder, 'empty.log');
      writeFileSync(empty, '');
      await server.stop();
      if (on === 'SQLite') rmSync(current().url.replace('sqlite:', ''));
      const flags = ['--log', empty, '--last-document', '0'];
      const said = await backups.restore(file, current(), ...flags);
      expect(said).toMatch(/application-key\.revoke .*"target":"one"/);
      expect(said).toMatch(/cannot be known: the log has no row of the audit trail/);
      await start();
      expect((await keyClient(server.url, other.secret).get(USERS)).status).toBe(401);
    },
    TIME_MS,
  );

  it(
    'trusts the log of a server whose last audit row before the backup is that of a command',
    async () => {
      await start();
      const { secret } = await issueKey(server.url, { tenant: 'default', scopes: ['users:read'] });
      const added = ['default', 'cron', '--scopes', 'tickets'];
      expect(await commandsOn(current())('key', 'add', ...added)).toMatchObject({ code: 0 });
      const file = await backups.make(current());
      await new FidoClient(server.url).register('anna');
      const logged = log();
      await lose();
      const flags = ['--log', logged, '--last-document', '0'];
      const said = await backups.restore(file, current(), ...flags);
      expect(said).toContain('Nothing is named that was revoked');
      expect(said).not.toMatch(/suspended/);
      await start();
      expect((await keyClient(server.url, secret).get(USERS)).status).toBe(200);
    },
    TIME_MS,
  );

  it(
    'servicefido restore changes nothing if a series of documents is not named',
    async () => {
      await start();
      await server.stop();
      const run = commandsOn(current(), FAST);
      const restored = (last: string) => run('restored', '--last-document', last);
      expect((await restored('0')).stdout).toContain('Epoch 1 has begun');
      const refused = await restored('5');
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain('Also name the last number of the series "R1"');
      expect((await restored('0,R1-0')).stdout).toContain('Epoch 2 has begun');
      // As the sentence says: 0 if none was sent out.
      expect((await restored('0')).stdout).toContain('Epoch 3 has begun');
      expect((await restored('0,0')).stdout).toContain('Epoch 4 has begun');
      expect((await restored('R3-0,0')).stdout).toContain('The next invoice is R5-1');
      await start();
    },
    TIME_MS,
  );

  it(
    'servicefido restore refuses a database that a server uses, and changes nothing',
    async () => {
      await start();
      const file = join(folder, 'backup');
      const run = commandsOn(current());
      if (on === 'SQLite') {
        expect((await run('backup', file)).code).toBe(0);
        const refused = await run('restore', file);
        expect(refused).toMatchObject({ code: 2, stdout: '' });
        expect(refused.stderr).toMatch(/^a server has .* open: stop it first\n$/);
        expect((await run('restored')).code).toBe(2);
      } else {
        const refused = await run('restored');
        expect(refused).toMatchObject({ code: 1, stdout: '' });
        expect(refused.stderr).toMatch(/A server runs on this database/);
      }
      const { text } = await admin().get('/userapi/audit');
      expect(text).not.toContain('database.restore');
    },
    TIME_MS,
  );

  /** Starts the server a month and a half from now, so that a month has ended in which the tenant existed. */
  async function start(registration: 'open' | 'ticket' = 'open'): Promise<void> {
    const options = { webhookPrivate: true, registration };
    server = await TestServer.start({ database: current(), options, speed: FAST });
    server.clock.advance(45 * DAY_MS);
  }

  /** The server's log as a file. */
  function log(): string {
    const file = join(folder, 'server.log');
    writeFileSync(file, server.logged.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return file;
  }

  /** The server's machine is lost; the backup is restored into another database. */
  async function lose(): Promise<void> {
    await server.stop();
    databases.push(await createDatabase(on));
  }

  async function read(after: string, limit = 1000) {
    const { body } = await admin().get(`/userapi/events?after=${after}&limit=${limit}`);
    return body as { events: { id: string }[]; next: string; more: boolean; reason?: string };
  }

  /** Records each event by the cursor after it, and returns the last cursor. */
  async function note(seen: Map<string, string>): Promise<string> {
    await server.get(EventNumbering).catchUp();
    const numbered = server.get(NumberedEvents);
    const cursors = server.get(ForwardEvents);
    const range = { upto: await numbered.last(), limit: 1000 };
    for (let after = 0, more = true; more;) {
      const page = await numbered.after([relyingPartyOf(server, 'localhost')], { after, ...range });
      for (const event of page.events) {
        const [{ id }, cursor] = [eventJson(event, ''), await cursors.cursorOf(event.number)];
        expect(seen.get(cursor) ?? id).toBe(id);
        seen.set(cursor, id);
      }
      [after, more] = [page.last, page.more];
    }
    return cursors.cursorOf(range.upto);
  }

  /** The IDs of the events behind a cursor. */
  async function idsBehind(cursor: string): Promise<string[]> {
    await server.get(EventNumbering).catchUp();
    const ids: string[] = [];
    for (let after = cursor, more = true; more;) {
      const page = await read(after);
      ids.push(...page.events.map(({ id }) => id));
      [after, more] = [page.next, page.more];
    }
    return ids;
  }
});

describe('servicefido restore', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-restore-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const restore = (file: string, target: string) =>
    commandsOn({ url: `sqlite:${target}` })('restore', file);

  it(
    'servicefido restore keeps the earlier database and leaves no other file',
    async () => {
      const server = await TestServer.start();
      await new FidoClient(server.url).register('anna');
      const backup = join(folder, 'backup');
      const target = join(folder, 'data', 'db.sqlite');
      const run = commandsOn(server.database);
      expect((await run('backup', backup)).code).toBe(0);
      await server.stop();
      expect(await restore(backup, target)).toMatchObject({
        code: 0,
        // Whatever takes long on a busy machine reports its progress.
        stderr: expect.stringMatching(/^(?:(?:Copying|Checking): .*\n)*$/),
      });
      expect(readdirSync(join(folder, 'data'))).toEqual(['db.sqlite']);
      const again = await restore(backup, target);
      expect(again.stdout).toMatch(
        /The database before is kept: .*db\.sqlite\.before-\d{8}T\d{6}Z/,
      );
      expect(readdirSync(join(folder, 'data'))).toEqual([
        'db.sqlite',
        expect.stringMatching(/^db\.sqlite\.before-/),
      ]);
      // SQLite would apply the files that a lost database left beside it to the restored one.
      rmSync(target);
      writeFileSync(`${target}-wal`, 'of the lost database');
      expect((await restore(backup, target)).code).toBe(0);
      expect(existsSync(`${target}-wal`)).toBe(false);
    },
    TIME_MS,
  );

  it.each([
    ['no file', undefined, /^there is no file /],
    ['a text', 'precious', /is no backup of ServiceFido/],
    ['an empty file', '', /is no backup of ServiceFido/],
  ])(
    'servicefido restore refuses %s with exit code 2 and writes nothing',
    async (_, content, sentence) => {
      const file = join(folder, 'backup');
      if (content !== undefined) writeFileSync(file, content);
      const { code, stderr } = await restore(file, join(folder, 'data', 'db.sqlite'));
      expect(code).toBe(2);
      expect(stderr).toMatch(sentence);
      expect(existsSync(join(folder, 'data'))).toBe(false);
    },
  );

  it.each([
    [
      'a trigger',
      'CREATE TRIGGER copied AFTER INSERT ON users BEGIN DELETE FROM audit; END',
      'trigger copied',
    ],
    ['a view', 'CREATE VIEW people AS SELECT * FROM users', 'view people'],
    ['a table', 'CREATE TABLE notes (text TEXT)', 'table notes'],
  ])(
    'servicefido restore refuses a backup with %s that no version made, and writes nothing',
    async (_, sql, part) => {
      const server = await TestServer.start();
      const backup = join(folder, 'backup');
      expect((await commandsOn(server.database)('backup', backup)).code).toBe(0);
      await server.stop();
      const database = new BetterSqlite3(backup);
      database.exec(sql);
      database.close();
      const { code, stderr } = await restore(backup, join(folder, 'data', 'db.sqlite'));
      expect(code).toBe(2);
      expect(stderr).toContain(`contains what no version of ServiceFido makes: ${part}.`);
      expect(existsSync(join(folder, 'data'))).toBe(false);
    },
    TIME_MS,
  );

  it(
    'servicefido restore does not touch a database that cannot be opened',
    async () => {
      const server = await TestServer.start();
      const backup = join(folder, 'backup');
      const target = join(folder, 'db.sqlite');
      expect((await commandsOn(server.database)('backup', backup)).code).toBe(0);
      await server.stop();
      writeFileSync(target, 'no database, but precious');
      const { code, stderr } = await restore(backup, target);
      expect(code).toBe(2);
      expect(stderr).toMatch(/cannot be opened .* move it and the files beside it/);
      expect(readdirSync(folder).sort()).toEqual(['backup', 'db.sqlite']);
    },
    TIME_MS,
  );
});
