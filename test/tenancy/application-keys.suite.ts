import { jest } from '@jest/globals';
import { isSecret } from '../../src/platform/access/accounts/key-secret.js';
import { TenancyRows } from '../../src/tenancy/tenancy-rows.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import {
  KEYS,
  bearer,
  issueKey,
  keyClient,
  revokeKey,
  type IssuedKey,
} from '../support/application-keys.js';
import { Client, adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { countOf, rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const EVERYBODY = '/userapi/manageusers?limit=10';

describe.each(DATABASES)('an application key on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { accounts: accountsFile() } });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    await server.addRelyingParty('acme', { domain: 'acme.test' });
    await server.addRelyingParty('rival', { domain: 'rival.example' });
    admin = adminClient(server.url);
  });
  afterAll(() => server.stop());

  const issue = (body: object, by = admin) => by.post(KEYS, body);
  const listed = async (by: Client, query = '') =>
    (await by.get(KEYS + query)).body['keys'] as IssuedKey[];
  const read = (secret: string) =>
    new Client(server.url).get(EVERYBODY, { ...bearer(secret), accept: 'application/json' });
  const inDays = (days: number) => new Date(server.clock.now() + days * DAY_MS).toISOString();

  it('an application key is issued with a secret that is shown once, and is listed', async () => {
    const expiresAt = inDays(30);
    const answer = await issue({
      name: 'web shop',
      tenant: 'acme',
      relyingParties: ['acme.test', 'acme.example'],
      scopes: ['tickets', 'users:read'],
      expiresAt,
    });
    const secret = String(answer.body['secret']);
    expect(isSecret(secret)).toBe(true);
    const key = {
      id: expect.stringMatching(/^[\w-]{22}$/),
      name: 'web shop',
      tenant: 'acme',
      prefix: secret.slice(0, 12),
      scopes: ['tickets', 'users:read'],
      relyingParties: ['acme.example', 'acme.test'],
      createdAt: ISO,
      createdBy: 'admin',
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
      suspendedAt: null,
    };
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({ status: 'ok', errorMessage: '', key, secret });
    const list = await admin.get(`${KEYS}?tenant=acme`);
    const keys = list.body['keys'] as IssuedKey[];
    expect(keys.filter(({ name }) => name === 'web shop')).toEqual([key]);
    expect(list.text).not.toContain(secret.slice(12));
  });

  it('an application key covers its whole tenant by default, including future relying parties', async () => {
    const { secret, key } = await issueKey(server.url, { tenant: 'acme', scopes: ['users:read'] });
    expect(key).toMatchObject({ relyingParties: null, expiresAt: null });
    await server.addRelyingParty('acme', { domain: 'later.acme.example' });
    const later = keyClient(server.url, secret, 'later.acme.example');
    expect((await later.get(EVERYBODY)).status).toBe(200);
  });

  it('leaves no secret in the database, the log or the audit trail', async () => {
    const { secret, key } = await issueKey(server.url, { tenant: 'acme', scopes: ['users:read'] });
    await read(secret);
    await revokeKey(server.url, key);
    await read(secret);
    const tables = ['application_keys', 'audit', 'events', 'secrets'];
    for (const table of tables) {
      const rows = await rowsOf<Record<string, unknown>>(server, `SELECT * FROM ${table}`);
      const texts = rows.flatMap((row) => Object.values(row)).map(textOf);
      expect(texts.filter((text) => text.includes(secret.slice(12)))).toEqual([]);
    }
    const log = JSON.stringify(server.logged);
    expect(log).toContain(`${key.prefix} is revoked`);
    expect(log).not.toContain(secret.slice(12));
  });

  it('an application key works until it expires; then the log gives the reason', async () => {
    const { secret, key } = await issueKey(server.url, {
      tenant: 'acme',
      scopes: ['users:read'],
      expiresAt: inDays(1),
    });
    expect((await read(secret)).status).toBe(200);
    server.clock.advance(DAY_MS);
    const late = await read(secret);
    expect(late).toMatchObject({ status: 401, body: { errorCode: 'E0042R' } });
    expect(late.headers.get('www-authenticate')).toMatch(/^Bearer /);
    const line = server.loggedOf(late.body['requestId']);
    expect(line).toMatchObject({ detail: expect.stringContaining(key.prefix) });
    expect(JSON.stringify(line)).toContain('has expired');
  });

  it('an application key can be revoked once, and then appears among the revoked keys', async () => {
    const { secret, key } = await issueKey(server.url, { tenant: 'acme', scopes: ['users:read'] });
    expect((await read(secret)).status).toBe(200);
    const answer = await revokeKey(server.url, key);
    expect(answer).toMatchObject({ status: 200, body: { key: { id: key.id, revokedAt: ISO } } });
    expect(await read(secret)).toMatchObject({ status: 401, body: { errorCode: 'E0042R' } });
    expect((await listed(admin)).map(({ id }) => id)).not.toContain(key.id);
    expect((await listed(admin, '?revoked=yes')).map(({ id }) => id)).toContain(key.id);
    expect(await revokeKey(server.url, key)).toMatchObject({ status: 404 });
  });

  it('an application key has its last use recorded at most once a minute', async () => {
    const { secret, key } = await issueKey(server.url, { tenant: 'acme', scopes: ['users:read'] });
    const lastUse = async () => {
      const found = (await listed(admin)).find(({ id }) => id === key.id);
      return found?.lastUsedAt == null ? undefined : Date.parse(found.lastUsedAt);
    };
    const first = server.clock.now();
    await Promise.all([read(secret), read(secret), read(secret)]);
    await eventually(async () => expect(await lastUse()).toBeGreaterThanOrEqual(first));
    const noted = await lastUse();
    server.clock.advance(MINUTE_MS / 2);
    await read(secret);
    expect(await lastUse()).toBe(noted);
    server.clock.advance(MINUTE_MS);
    await read(secret);
    await eventually(async () =>
      expect(await lastUse()).toBeGreaterThanOrEqual(Number(noted) + 1.5 * MINUTE_MS),
    );
  });

  it('stops working when its tenant is removed, also for a new tenant of the same name', async () => {
    await server.addRelyingParty('brief', { domain: 'brief.example' });
    const { secret } = await issueKey(server.url, { tenant: 'brief', scopes: ['users:read'] });
    expect((await read(secret)).status).toBe(200);
    const remove = { method: 'DELETE' };
    expect((await admin.send('/tenantapi/tenants/brief', remove)).status).toBe(200);
    expect((await read(secret)).status).toBe(401);
    await server.addRelyingParty('brief', { domain: 'brief.example' });
    expect((await read(secret)).status).toBe(401);
    expect(await listed(admin, '?tenant=brief')).toEqual([]);
  });

  it('an application key is not issued for a tenant that is removed meanwhile (E0044R)', async () => {
    await server.addRelyingParty('leaving', { domain: 'leaving.example' });
    const tenants = server.get(TenancyRows);
    jest.spyOn(tenants, 'idsOf').mockImplementationOnce(async () => {
      await server.get(TenancyService).removeTenant(server.call, 'leaving');
      return null;
    });
    const answer = await issue({ name: 'late', tenant: 'leaving', scopes: ['tickets'] });
    expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
    expect(await countOf(server, "application_keys WHERE name = 'late'")).toBe(0);
  });

  it('an application key does not cover a new relying party of a deleted one’s domain', async () => {
    await server.addRelyingParty('acme', { domain: 'moved.acme.test' });
    const { secret } = await issueKey(server.url, {
      tenant: 'acme',
      relyingParties: ['moved.acme.test'],
      scopes: ['users:read'],
    });
    const client = keyClient(server.url, secret, 'moved.acme.test');
    expect((await client.get(EVERYBODY)).status).toBe(200);
    const path = '/tenantapi/tenants/acme/relying-parties/moved.acme.test';
    await admin.send(path, { method: 'DELETE' });
    await server.addRelyingParty('acme', { domain: 'moved.acme.test' });
    expect(await client.get(EVERYBODY)).toMatchObject({
      status: 403,
      body: { errorCode: 'E0043R' },
    });
  });

  it.each([
    ['GET', EVERYBODY, 'applicationKey.needsScope', '"users:read"'],
    ['GET', '/userapi/manageusers?type=deluser', 'applicationKey.needsScope', '"users:write"'],
    ['POST', '/userapi/tickets', 'applicationKey.needsScope', '"tickets"'],
    ['GET', '/userapi/events', 'applicationKey.needsScope', '"events:read"'],
    ['GET', '/userapi/invoice', 'applicationKey.needsScope', '"invoices:read"'],
    ['POST', '/fidoapi/authenticate/begin', 'applicationKey.needsScope', '"ceremonies"'],
    ['GET', '/userapi/audit', 'applicationKey.needsScope', '"audit:read"'],
    ['GET', '/userapi/export', 'applicationKey.closed', 'accept application keys'],
  ])(
    'report the permission that %s %s requires, if one exists',
    async (method, path, reason, words) => {
      const { secret } = await issueKey(server.url, { tenant: 'acme', scopes: ['policy:write'] });
      const client = keyClient(server.url, secret, 'acme.test');
      const json = { 'content-type': 'application/json' };
      const sent = method === 'POST' ? { headers: json, body: '{"username":"anna"}' } : {};
      const { status, body } = await client.send(path, { method, ...sent });
      expect({ ...body, status }).toMatchObject({ status: 403, errorCode: 'E0043R', reason });
      expect(body.errorMessage).toContain(words);
    },
  );

  it('warns of fields that the call does not know, which would have limited the key', async () => {
    const wanted = {
      name: 'wide',
      tenant: 'acme',
      scopes: ['tickets'],
      domain: 'acme.example',
    };
    const { status, body } = await admin.post('/tenantapi/keys', wanted);
    expect(status).toBe(201);
    expect(body['warnings']).toEqual(['"domain" is no field of this call, and was ignored.']);
  });

  it('leaves audit rows that name it and its permissions', async () => {
    const { key } = await issueKey(server.url, {
      name: 'audited',
      tenant: 'acme',
      scopes: ['tickets', 'events:read'],
    });
    await revokeKey(server.url, key);
    const { body } = await admin.get('/userapi/audit?target=audited');
    const row = { account: 'admin', tenant: 'acme', target: 'audited', result: 'ok' };
    const detail = { prefix: key.prefix, scopes: 'tickets events:read' };
    expect(body['entries']).toMatchObject([
      { ...row, action: 'application-key.revoke', detail },
      { ...row, action: 'application-key.issue', detail },
    ]);
  });

  describe('an administrator of one tenant', () => {
    let acme: Client;
    beforeAll(() => (acme = clientOf(server.url, 'acme-admin')));

    it('issues, lists and revokes the application keys of the tenant', async () => {
      const answer = await issue({ name: 'own', tenant: 'acme', scopes: ['tickets'] }, acme);
      expect(answer).toMatchObject({ status: 201, body: { key: { createdBy: 'acme-admin' } } });
      const { id } = answer.body['key'] as IssuedKey;
      expect((await listed(acme)).map((key) => key.id)).toContain(id);
      expect((await acme.send(`${KEYS}/${id}`, { method: 'DELETE' })).status).toBe(200);
    });

    it('issues no application key for another tenant or its relying parties (E0044R, E0045R)', async () => {
      const foreign = await issue({ name: 'x', tenant: 'rival', scopes: ['tickets'] }, acme);
      const nobodys = await issue({ name: 'x', tenant: 'nobody', scopes: ['tickets'] }, acme);
      expect(foreign).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
      expect({ ...foreign.body, requestId: '' }).toEqual({ ...nobodys.body, requestId: '' });
      for (const domain of ['rival.example', 'nobody.example']) {
        const body = { name: 'x', tenant: 'acme', relyingParties: [domain], scopes: ['tickets'] };
        const answer = await issue(body, acme);
        expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
        expect(answer.body.errorMessage).toBe(
          `The tenant "acme" has no relying party "${domain}".`,
        );
      }
    });

    it('reads single application keys of the tenant, even revoked ones, but no secret', async () => {
      const { key, secret } = await issueKey(server.url, { tenant: 'acme', scopes: ['tickets'] });
      const shown = await acme.get(`${KEYS}/${key.id}`);
      expect(shown).toMatchObject({ status: 200, body: { key: { id: key.id, revokedAt: null } } });
      expect(shown.text).not.toContain(secret);
      await acme.send(`${KEYS}/${key.id}`, { method: 'DELETE' });
      const { body } = await acme.get(`${KEYS}/${key.id}`);
      expect(body['key']).toMatchObject({ revokedAt: expect.any(String) as string });
      const again = await acme.send(`${KEYS}/${key.id}`, { method: 'DELETE' });
      expect(again).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
    });

    it('neither sees nor revokes an application key of another tenant (E0044R)', async () => {
      const { key, secret } = await issueKey(server.url, {
        tenant: 'rival',
        scopes: ['users:read'],
      });
      expect((await listed(acme)).map(({ id }) => id)).not.toContain(key.id);
      expect(await acme.get(`${KEYS}?tenant=rival`)).toMatchObject({
        status: 404,
        body: { errorCode: 'E0044R', reason: 'tenant.unknown' },
      });
      for (const method of ['GET', 'DELETE']) {
        const answer = await acme.send(`${KEYS}/${key.id}`, { method });
        expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
      }
      expect((await read(secret)).status).toBe(200);
    });
  });

  const RIGHT = { name: 'x', tenant: 'acme', scopes: ['tickets'] };
  it.each<[string, object]>([
    ['no name', { name: undefined }],
    ['a name of 65 characters', { name: 'x'.repeat(65) }],
    ['an invisible name', { name: '\u200b' }],
    ['no tenant', { tenant: undefined }],
    ['no permissions', { scopes: undefined }],
    ['an empty list of scopes', { scopes: [] }],
    ['a scope twice', { scopes: ['tickets', 'tickets'] }],
    ['an unknown scope', { scopes: ['keys:write'] }],
    ['a scope of the prototype', { scopes: ['constructor'] }],
    ['permissions that are a text', { scopes: 'tickets' }],
    ['relying parties that are a text', { relyingParties: 'acme.example' }],
    ['an empty list of relying parties', { relyingParties: [] }],
    ['a relying party twice', { relyingParties: ['acme.example', 'acme.example'] }],
    ['a relying party that is none', { relyingParties: ['*'] }],
    ['relying parties that are null', { relyingParties: null }],
    ['a time that is past', { expiresAt: '2020-01-01' }],
    ['a time that is none', { expiresAt: 'tomorrow' }],
    ['a day that is none', { expiresAt: '2030-02-30' }],
    ['a number for a time', { expiresAt: 4_102_444_800_000 }],
  ])('gets no application key for %s (E0045R)', async (_, wrong) => {
    const before = await rowsOf(server, 'SELECT id FROM application_keys');
    const answer = await issue({ ...RIGHT, ...wrong });
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
    expect(await rowsOf(server, 'SELECT id FROM application_keys')).toHaveLength(before.length);
  });

  it.each(['none', '', '%00', 'A'.repeat(22)])(
    'E0044R, E0047R: is refused when revoking %j',
    async (id) => {
      const answer = await admin.send(`${KEYS}/${id}`, { method: 'DELETE' });
      expect([404, 405]).toContain(answer.status);
    },
  );
});

describe('application keys of two instances', () => {
  it.each(DATABASES)(
    'an application key that one instance revokes stops working at the others at once, on %s',
    async (on) => {
      const database = await createServerDatabase(on);
      const one = await TestServer.start({ database });
      const other = await TestServer.start({ database });
      const { secret, key } = await issueKey(one.url, {
        tenant: 'default',
        scopes: ['users:read'],
      });
      for (let round = 0; round < 20; round += 1) {
        expect((await keyClient(other.url, secret).get(EVERYBODY)).status).toBe(200);
      }
      expect((await revokeKey(one.url, key)).status).toBe(200);
      expect((await keyClient(other.url, secret).get(EVERYBODY)).status).toBe(401);
      await Promise.all([one.stop(), other.stop()]);
      await database.remove();
    },
  );
});

const textOf = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
