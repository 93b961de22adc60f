import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { writeAndroidKey } from '../../packages/testing/src/android-statements.js';
import type { CborInput } from '../../packages/testing/src/cbor-writer.js';
import { createAuthority } from '../../packages/testing/src/certificate-writer.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { attestationRoot } from '../../packages/testing/src/attester.js';
import { type StatementWriter } from '../../packages/testing/src/statements.js';
import { bearer } from '../support/application-keys.js';
import { adminClient } from '../support/client.js';
import { sendForm } from '../support/console-form.js';
import { DATABASES, type TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { AdminClient } from '../support/admin-client.js';
import { FidoClient } from '../support/fido-client.js';
import { listen } from '../support/listen.js';
import { describeWith } from '../support/needs.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { createServerDatabase } from '../support/server-database.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { countOf, rowsOf } from '../support/rows.js';
import { BY_HAND, FAST, TestServer } from '../support/test-server.js';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Longer than a job waits before it looks at its lease, or at a changed policy, again. */
const LEASE_LOOK_MS = 6_000;
/** A query that has the web server refuse the list. */
const BLOCKED = '?blocked';
/** A query that the web server never answers. */
const SILENT = '?silent';
/** Sources of which a failure is stored. */
const FAILED = "metadata_sources WHERE failures > 0 OR error <> ''";
const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));

/** The attestation certificate of a factory's phones: they all share its key. */
const [leaked, sound] = ['Leaked keys', 'Sound keys'].map((title) =>
  createAuthority(title, { issuer: attestationRoot() }),
) as [ReturnType<typeof createAuthority>, ReturnType<typeof createAuthority>];

const serial = new X509Certificate(leaked.certificate).serialNumber.toLowerCase();

let files = 0;

describe('the list of keys that Google revoked, from a file', () => {
  let server: TestServer;
  let path: string;
  beforeAll(async () => {
    path = fileOf(listOf());
    server = await TestServer.start({ options: { androidRevocations: path }, speed: FAST });
  });
  afterAll(() => server.stop());

  it('refuses a phone with a listed certificate and accepts others (E0038R)', async () => {
    expectRefusal(await register(server, leaked), 'E0038R');
    expect(await register(server, sound)).toMatchObject({ status: 200 });
  });

  it.each([
    ['off', { mode: 'off' }, 0],
    ['accepted', { REVOKED: 'accept' }, 0],
    ['reported', { mode: 'report' }, 1],
    ['a warning', { REVOKED: 'warn' }, 1],
  ] as const)(
    'gives its keys the status REVOKED, which a policy treats as %s',
    async (_, status, events) => {
      const sql = "SELECT detail FROM events WHERE kind = 'policy'";
      const before = await rowsOf(server, sql);
      expect(await register(server, leaked, { status })).toMatchObject({ status: 200 });
      expect(await rowsOf(server, sql)).toHaveLength(before.length + events);
    },
  );

  it('Google’s list of revoked keys is shown in /status with its number of keys', async () => {
    const { text } = await adminClient(server.url).get('/status');
    expect(text).toMatch(/--android-revocations<\/code><\/th><td data-label="Setting">2 keys/);
  });

  it('Google’s list of revoked keys is read again after a change, and a broken file keeps the last good list', async () => {
    writeFileSync(path, '{"entries": {}}');
    server.clock.advance(2 * 60_000);
    await eventually(async () => expect((await register(server, leaked)).status).toBe(200));
    writeFileSync(path, listOf('SUSPENDED'));
    server.clock.advance(2 * 60_000);
    await eventually(async () => expect((await register(server, leaked)).status).toBe(403));
    writeFileSync(path, '{"entries": []}');
    server.clock.advance(2 * 60_000);
    await eventually(() => {
      expect(JSON.stringify(server.logged)).toContain('The list is no object with');
      return Promise.resolve();
    });
    expectRefusal(await register(server, leaked), 'E0038R');
  });
});

describe('the file of keys that Google revoked', () => {
  it('the list of keys that Google revoked is not replaced by an older file or by the deletion of its file', async () => {
    const path = fileOf(listOf());
    const server = await TestServer.start({ options: { androidRevocations: path }, speed: FAST });
    const logs = (text: string) =>
      eventually(() => {
        expect(JSON.stringify(server.logged)).toContain(text);
        return Promise.resolve();
      });
    writeFileSync(path, '{"entries": {}}');
    const earlier = new Date(Date.now() - DAY);
    utimesSync(path, earlier, earlier);
    server.clock.advance(2 * 60_000);
    await logs('The file is older than the list that is here');
    expectRefusal(await register(server, leaked), 'E0038R');
    rmSync(path);
    server.clock.advance(2 * 60_000);
    await logs('ENOENT');
    expectRefusal(await register(server, leaked), 'E0038R');
    await server.stop();
  });

  it('the list of keys that Google revoked is read again after a clock that was ahead is set back', async () => {
    const path = fileOf(listOf());
    const server = await TestServer.start({ options: { androidRevocations: path }, speed: FAST });
    server.clock.advance(DAY);
    writeFileSync(path, '{"entries": {}}');
    const ahead = new Date(Date.now() + DAY);
    utimesSync(path, ahead, ahead);
    await eventually(async () => expect((await register(server, leaked)).status).toBe(200));
    server.clock.advance(-DAY);
    writeFileSync(path, listOf());
    await eventually(async () => expect((await register(server, leaked)).status).toBe(403));
    await server.stop();
  });

  it('the list of keys that Google revoked causes a warning when its file is more than a week old', async () => {
    const path = fileOf(listOf());
    const old = new Date(Date.now() - 8 * DAY);
    utimesSync(path, old, old);
    const server = await TestServer.start({ options: { androidRevocations: path }, speed: FAST });
    expect(JSON.stringify(server.logged)).toContain('It is more than a week old.');
    expect((await adminClient(server.url).get('/status')).text).toContain('2 keys, overdue');
    await server.stop();
  });

  it('the list of keys that Google revoked causes no warning when its file is some seconds ahead', async () => {
    const path = fileOf(listOf());
    const soon = new Date(Date.now() + 50_000);
    utimesSync(path, soon, soon);
    const server = await TestServer.start({ options: { androidRevocations: path }, speed: FAST });
    expect((await adminClient(server.url).get('/status')).text).not.toContain('2 keys, overdue');
    await server.stop();
  });

  it('the list of keys that Google revoked causes a warning when its file is of a later day than today', async () => {
    const path = fileOf(listOf());
    const later = new Date(Date.now() + 2 * DAY);
    utimesSync(path, later, later);
    const server = await TestServer.start({ options: { androidRevocations: path }, speed: FAST });
    expect(JSON.stringify(server.logged)).toContain('It is of a later time than the clock.');
    expect((await adminClient(server.url).get('/status')).text).toContain('2 keys, overdue');
    await server.stop();
  });

  it('the list of keys that Google revoked stays the latest one if a server starts with an older file', async () => {
    const path = fileOf(listOf());
    const database = await createServerDatabase('SQLite');
    const start = () =>
      TestServer.start({ options: { androidRevocations: path }, database, speed: FAST });
    await (await start()).stop();
    writeFileSync(path, '{"entries": {}}');
    const earlier = new Date(Date.now() - DAY);
    utimesSync(path, earlier, earlier);
    const server = await start();
    expect(JSON.stringify(server.logged)).toContain('The file is older than the list');
    expectRefusal(await register(server, leaked), 'E0038R');
    await server.stop();
    await database.remove();
  });
});

describe('the list of keys that Google revoked, from the web', () => {
  let web: Server;
  let answer: { status: number; body: string };
  let address = '';
  let silentRequests = 0;
  beforeAll(async () => {
    web = createServer(({ url }, response) => {
      if (url?.endsWith(SILENT)) {
        silentRequests += 1;
        response.on('close', () => (silentRequests -= 1));
        return;
      }
      const { status, body } = url?.endsWith(BLOCKED) ? { status: 503, body: 'down' } : answer;
      response.writeHead(status).end(body);
    });
    address = `http://127.0.0.1:${await listen(web)}/status`;
  });
  afterAll(() => web.close());

  it('the list of keys that Google revoked causes a warning when its address fails, and is fetched again', async () => {
    answer = { status: 503, body: 'down' };
    const server = await TestServer.start({
      options: { androidRevocations: address },
      speed: FAST,
    });
    // The start waits only some seconds for the source.
    await eventually(() =>
      expect(JSON.stringify(server.logged)).toContain('The source answered with status 503.'),
    );
    expect(await register(server, leaked)).toMatchObject({ status: 200 });
    answer = { status: 200, body: listOf() };
    server.clock.advance(10 * 60_000);
    await eventually(async () => expect((await register(server, leaked)).status).toBe(403));
    await server.stop();
  });

  it.each(['androidRevocations', 'mds'])(
    'a server that stops while it asks an address stores no failure of it: %s',
    async (option) => {
      const database = await createServerDatabase('SQLite');
      const place = address + SILENT;
      const options = { [option]: option === 'mds' ? [place] : place };
      await (await TestServer.start({ options, database, speed: FAST })).stop();
      const server = await TestServer.start({ database, speed: FAST });
      expect(await countOf(server, 'metadata_sources')).toBe(1);
      expect(await countOf(server, FAILED)).toBe(0);
      await server.stop();
      await database.remove();
    },
  );

  describe.each(DATABASES)('is stored on %s', (on) => {
    let database: TestDatabase;
    let server: TestServer;
    const start = async (query = '') => {
      const options = { androidRevocations: address + query };
      server = await TestServer.start({ options, database, speed: FAST });
    };
    beforeEach(async () => {
      answer = { status: 200, body: listOf() };
      database = await createServerDatabase(on);
      await start();
    });
    afterEach(async () => {
      await server.stop();
      await database.remove();
    });

    it.each([
      ['is down', 503, 'down', 'status 503'],
      ['answers with something else', 200, '{"entries": []}', 'The list is no object'],
    ])(
      'the list of keys that Google revoked is used after a restart while its address %s',
      async (_, status, body, fault) => {
        answer = { status, body };
        await server.stop();
        await start();
        expectRefusal(await register(server, leaked), 'E0038R');
        expect(await register(server, sound)).toMatchObject({ status: 200 });
        server.clock.advance(7 * HOUR);
        await eventually(() => {
          expect(JSON.stringify(server.logged)).toContain(fault);
          return Promise.resolve();
        });
        expectRefusal(await register(server, leaked), 'E0038R');
        expect((await adminClient(server.url).get('/status')).text).toContain('2 keys');
      },
    );

    it('the list of keys that Google revoked is used after a restart with another address', async () => {
      await server.stop();
      await start(BLOCKED);
      expectRefusal(await register(server, leaked), 'E0038R');
    });

    it('the list of keys that Google revoked is overdue a week after its address last confirmed it', async () => {
      const status = async () => (await adminClient(server.url).get('/status')).text;
      server.clock.advance(6 * DAY);
      const made = 'metadata_sources WHERE no > ?';
      const dayAgo = server.clock.now() - DAY;
      await eventually(async () => expect(await countOf(server, made, dayAgo)).toBe(1));
      answer = { status: 503, body: 'down' };
      server.clock.advance(6 * DAY);
      await eventually(async () => expect(await status()).not.toContain('2 keys, overdue'));
      server.clock.advance(2 * DAY);
      expect(await status()).toContain('2 keys, overdue');
    });

    it('an address of the list of keys that Google revoked is asked at a start after it failed', async () => {
      answer = { status: 503, body: 'down' };
      server.clock.advance(7 * HOUR);
      await eventually(() => expect(JSON.stringify(server.logged)).toContain('status 503'));
      answer = { status: 200, body: '{"entries": {}}' };
      await server.stop();
      await start('?corrected');
      await eventually(async () => expect((await register(server, leaked)).status).toBe(200));
    });

    it('a list of keys that Google revoked that the database refuses is no failure of its address', async () => {
      await server.get(DataSource).query('ALTER TABLE metadata_chunks RENAME TO lost_chunks');
      answer = { status: 200, body: '{"entries": {}}' };
      server.clock.advance(7 * HOUR);
      await eventually(() =>
        expect(JSON.stringify(server.logged)).toContain('could not be stored'),
      );
      expect(await countOf(server, FAILED)).toBe(0);
      await server.get(DataSource).query('ALTER TABLE lost_chunks RENAME TO metadata_chunks');
      server.clock.advance(2 * 60_000);
      await eventually(async () => expect((await register(server, leaked)).status).toBe(200));
    });

    it('a list of keys that Google revoked whose stored copy is damaged is fetched at the next start', async () => {
      await server.get(DataSource).query('DELETE FROM metadata_chunks');
      await server.stop();
      await start();
      await eventually(async () => expectRefusal(await register(server, leaked), 'E0038R'));
    });

    it('keys stay disabled while the list of keys that Google revoked is neither stored nor answered', async () => {
      const policy = { status: { mode: 'report' } } as const;
      const { domain, answer: registered } = await phoneAt(server, leaked, policy);
      expect(registered.status).toBe(200);
      const findings = async () => {
        await evaluateKeys(server);
        const { body } = await new AdminClient(server.url, domain).get('/userapi/findings');
        return body['findings'];
      };
      const enforced = { policy: { onFinding: 'disable' } } as const;
      await server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, enforced);
      expect(await findings()).toMatchObject([{ rule: 'status', enabled: false }]);
      await server.get(DataSource).query('DELETE FROM metadata_chunks');
      await server.stop();
      answer = { status: 503, body: 'down' };
      await start();
      expect(await findings()).toMatchObject([{ rule: 'status', enabled: false }]);
      answer = { status: 200, body: '{"entries": {}}' };
      server.clock.advance(10 * 60_000);
      await eventually(async () => expect(await findings()).toEqual([]));
    });
  });

  describe('is missing after a restart', () => {
    let database: TestDatabase;
    let server: TestServer;
    let domain: string;
    const start = async () => {
      const options = { androidRevocations: address };
      server = await TestServer.start({ options, database, speed: FAST });
    };
    beforeEach(async () => {
      answer = { status: 200, body: listOf() };
      database = await createServerDatabase('SQLite');
      await start();
      ({ domain } = await phoneAt(server, sound, {}));
    });
    afterEach(async () => {
      await server.stop();
      await database.remove();
    });

    it('an undone deletion gets its findings once the list of revoked keys is read', async () => {
      const user = { name: 'kim', rp: domain };
      await sendForm(server, '/userapi/user', { action: 'delete-user', ...user, confirm: 'kim' });
      const policy = { algorithms: ['EdDSA'], onFinding: 'disable' } as const;
      await server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { policy });
      await restartWithoutList();
      const [deletion] = await rowsOf<{ id: Buffer }>(server, 'SELECT id FROM deletions');
      const id = deletion?.id.toString('base64url') ?? '';
      await sendForm(server, '/userapi/undo', { ...user, deletion: id });
      await afterList([{ username: 'kim', rule: 'algorithms', enabled: false }]);
    });

    it('an enabled key loses its report once the list of revoked keys is read', async () => {
      const own = phoneUser(server, domain, sound);
      const strange = phoneUser(server, domain, sound);
      for (const client of [own, strange]) expect((await client.register('ben')).status).toBe(200);
      const token = bearer(String((await own.signIn('ben')).body['token']));
      await own.post(`/fidoapi/keys/${strange.keyId}/report`, {}, token);
      await restartWithoutList();
      const admin = new AdminClient(server.url, domain);
      await admin.manage({ type: 'enableall', filter: 'ben' });
      await afterList([]);
    });

    it('a new key gets its finding once the list of revoked keys is read', async () => {
      await restartWithoutList();
      expect((await phoneUser(server, domain, leaked).register('ada')).status).toBe(200);
      await afterList([{ username: 'ada', rule: 'status' }]);
    });

    async function restartWithoutList() {
      await evaluateKeys(server);
      await server.get(DataSource).query('DELETE FROM metadata_chunks');
      await server.stop();
      answer = { status: 503, body: 'down' };
      await start();
    }

    /** Expects findings after the list has been read, whose entries are those from before the restart. */
    async function afterList(findings: readonly object[]) {
      answer = { status: 200, body: listOf() };
      server.clock.advance(10 * 60_000);
      await eventually(async () => {
        expect((await adminClient(server.url).get('/status')).text).toContain('2 keys');
        await evaluateKeys(server);
        const { body } = await new AdminClient(server.url, domain).get('/userapi/findings');
        expect(body['findings']).toHaveLength(findings.length);
        expect(body['findings']).toMatchObject(findings);
      });
    }
  });

  describeWith('MariaDB')('on two instances', () => {
    let database: TestDatabase;
    const start = (query: string, speed: number) => {
      const options = { androidRevocations: address + query };
      return TestServer.start({ options, database, speed });
    };
    beforeEach(async () => {
      answer = { status: 200, body: listOf() };
      database = await createServerDatabase('MariaDB');
    });
    afterEach(() => database.remove());

    it('the list of keys that Google revoked is used by an instance that cannot fetch it', async () => {
      const blocked = await start(BLOCKED, FAST);
      expect(await register(blocked, leaked)).toMatchObject({ status: 200 });
      const informed = await start('', FAST);
      await eventually(async () => expectRefusal(await register(blocked, leaked), 'E0038R'));
      expectRefusal(await register(informed, leaked), 'E0038R');
      for (const server of [blocked, informed]) await server.stop();
    });

    it('the list of keys that Google revoked is used by an instance that still waits for an answer', async () => {
      const waiting = await start(SILENT, FAST);
      const informed = await start('', FAST);
      await eventually(async () => expectRefusal(await register(waiting, leaked), 'E0038R'));
      expect(silentRequests).toBe(1);
      for (const server of [waiting, informed]) await server.stop();
    });

    it('keys are evaluated by the instance that has read the list of revoked keys', async () => {
      const informed = await start('', BY_HAND);
      const { domain } = await phoneAt(informed, leaked, { status: { mode: 'report' } });
      const policy = { onFinding: 'disable' } as const;
      const tenancy = informed.get(TenancyService);
      await tenancy.changeRelyingParty(informed.call, 'acme', domain, { policy });
      await informed.get(DataSource).query('DELETE FROM metadata_chunks');
      const servers = [await start(BLOCKED, BY_HAND), informed];
      for (const server of [...servers, ...servers]) {
        await server.get(FindingsJob).runNow();
        server.clock.pass(LEASE_LOOK_MS);
      }
      const { body } = await new AdminClient(informed.url, domain).get('/userapi/findings');
      expect(body['findings']).toMatchObject([{ rule: 'status', enabled: false }]);
      for (const server of servers) await server.stop();
    });
  });
});

function phoneOf(factory: typeof leaked): StatementWriter {
  return (input) => {
    const { fmt, attStmt } = writeAndroidKey(factory, input);
    const [leaf] = attStmt.get('x5c') as Buffer[];
    const x5c: CborInput = [leaf ?? Buffer.of(), factory.certificate];
    return { fmt, attStmt: new Map([...attStmt, ['x5c', x5c]]) };
  };
}

function listOf(status = 'REVOKED') {
  return JSON.stringify({
    entries: {
      [serial]: { status, reason: 'KEY_COMPROMISE' },
      c35747a084470c3135aeefe2b8d40cd6: { status },
    },
  });
}

function fileOf(content: string): string {
  files += 1;
  const path = join(directory, `${files}.json`);
  writeFileSync(path, content);
  return path;
}

async function register(
  server: TestServer,
  factory: typeof leaked,
  policy: RelyingPartyPolicy = {},
) {
  return (await phoneAt(server, factory, policy)).answer;
}

/** A new relying party, and a user who registers a phone there. */
async function phoneAt(server: TestServer, factory: typeof leaked, policy: RelyingPartyPolicy) {
  const domain = `phones-${Math.random().toString(36).slice(2)}.example`;
  await server.addRelyingParty('acme', { domain, policy });
  return { domain, answer: await phoneUser(server, domain, factory).register('kim') };
}

/** A user with a phone that has no key yet. */
function phoneUser(server: TestServer, domain: string, factory: typeof leaked): FidoClient {
  const authenticator = new SoftAuthenticator({ attestation: phoneOf(factory) });
  const origin = `https://${domain}`;
  return new FidoClient(server.url, { relyingParty: domain, origin, authenticator });
}
