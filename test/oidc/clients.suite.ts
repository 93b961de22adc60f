import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { OidcClient } from '../../src/issuers/clients/oidc-client.entity.js';
import { IssuerKeys } from '../../src/issuers/issuer-keys.js';
import { randomText } from '../../src/platform/common/random.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { adminClient, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { startIssuer } from '../support/oidc-issuer.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import type { TestServer } from '../support/test-server.js';

const CLIENTS = '/tenantapi/tenants/default/relying-parties/localhost/clients';
const SHOP = { name: 'Shop', kind: 'web', redirectUris: ['https://shop.example/cb'] };

describe.each(DATABASES)('the clients of a relying party, on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await startIssuer({ on });
    admin = adminClient(server.url);
    // Creates the relying party localhost.
    await new FidoClient(server.url).register('alice');
  });
  afterAll(() => server.stop());

  const add = async (members: object = {}) => admin.post(CLIENTS, { ...SHOP, ...members });
  const idOf = (body: Readonly<Record<string, unknown>>) =>
    (body['client'] as { clientId: string }).clientId;

  it('are added with a secret that is shown once and stored as a hash', async () => {
    const { status, body } = await add();
    expect(status).toBe(201);
    expect(idOf(body)).toMatch(/^[\w-]{22}$/);
    const secret = String(body['secret']);
    expect(secret).toMatch(/^[\w-]{43}$/);
    const shown = await admin.get(`${CLIENTS}/${idOf(body)}`);
    expect(shown.text).not.toContain(secret);
    const rows = await server.get(DataSource).query<object[]>('SELECT * FROM oidc_clients');
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('are changed, get a new secret and are removed, each with a row in the audit trail', async () => {
    const made = await add();
    const id = idOf(made.body);
    const changed = await admin.patch(
      `${CLIENTS}/${id}`,
      { name: 'Store', groups: true },
      { 'if-match': String(made.headers.get('etag')) },
    );
    expect(changed.body['client']).toMatchObject({ name: 'Store', groups: true, kind: 'web' });
    const rotated = await admin.post(`${CLIENTS}/${id}/secret`, {});
    expect(rotated.body['secret']).not.toBe(made.body['secret']);
    const stale = await admin.send(`${CLIENTS}/${id}`, {
      method: 'DELETE',
      headers: { 'if-match': String(made.headers.get('etag')) },
    });
    expect(stale.body.errorCode).toBe('E0053R');
    expect((await admin.send(`${CLIENTS}/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await admin.get(`${CLIENTS}/${id}`)).body.errorCode).toBe('E0044R');
    const trail = await admin.get('/userapi/audit?limit=20');
    for (const change of ['create', 'change', 'rotate', 'remove']) {
      expect(trail.text).toContain(`oidc-client.${change}`);
    }
  });

  it.each([
    ['http on a public host', 'http://shop.example/cb'],
    ['a fragment', 'https://shop.example/cb#x'],
    ['another scheme', 'javascript:alert(1)'],
    ['user information', 'https://a:b@shop.example/cb'],
    ['another spelling', 'HTTPS://shop.example/cb'],
    ['a wildcard', 'https://*.shop.example/cb'],
  ])('refuse a redirect address with %s', async (_, uri) => {
    const { status, body } = await add({ redirectUris: [uri] });
    expect([status, body.errorCode]).toEqual([400, 'E0045R']);
  });

  it('keep their version if a change names no member that they have', async () => {
    const made = await add();
    const tag = made.headers.get('etag');
    const changed = await admin.patch(`${CLIENTS}/${idOf(made.body)}`, {
      redirect_uri: 'https://shop.example/',
    });
    expect(changed).toMatchObject({ status: 200, body: { warnings: [expect.any(String)] } });
    expect(changed.headers.get('etag')).toBe(tag);
    const { body } = await admin.get('/userapi/audit?action=oidc-client.change&limit=1');
    expect(body['entries']).toMatchObject([{ result: 'ok', detail: { changed: false } }]);
  });

  it('refuse a public client’s wish for a secret', async () => {
    const { body } = await add({ kind: 'public' });
    expect(body['secret']).toBeUndefined();
    const { body: refusal } = await admin.post(`${CLIENTS}/${idOf(body)}/secret`, {});
    expect(refusal['reason']).toBe('oidc.noSecret');
  });

  it('refuse a relying party at which users could not sign in on this server’s page', async () => {
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    const path = '/tenantapi/tenants/acme/relying-parties/acme.example/clients';
    const { body } = await admin.post(path, SHOP);
    expect([body.errorCode, body['reason']]).toEqual(['E0045R', 'oidc.originNotAllowed']);
  });

  it('refuse a relying party that admits only applications, which this server’s page is not', async () => {
    const domain = 'closed.example';
    const policy = { callers: 'keys' } as const;
    await server.addRelyingParty('acme', { domain, origins: [server.url], policy });
    const path = `/tenantapi/tenants/acme/relying-parties/${domain}/clients`;
    const { body } = await admin.post(path, SHOP);
    expect([body.errorCode, body['reason']]).toEqual(['E0045R', 'oidc.onlyKeys']);
  });

  it.each([
    ['admits only applications', 'applications.example', { policy: { callers: 'keys' } }],
    ['forgets this server’s origin', 'origins.example', { origins: ['https://origins.example'] }],
  ])('are named in a warning if their relying party %s', async (_, domain, change) => {
    await server.addRelyingParty('acme', { domain, origins: [`https://${domain}`, server.url] });
    const party = `/tenantapi/tenants/acme/relying-parties/${domain}`;
    const { body: made } = await admin.post(`${party}/clients`, SHOP);
    const page = `/tenants/acme/${domain}`;
    const warning = 'sign in on the page of this server';
    expect((await admin.patch(`${party}?dryRun=yes`, change)).text).toContain(warning);
    expect((await admin.get(party)).text).not.toContain(warning);
    expect((await admin.patch(party, change)).text).toContain(warning);
    expect((await admin.get(party)).text).toContain(warning);
    expect((await admin.get(page, { accept: 'text/html' })).text).toContain(warning);
    await admin.send(`${party}/clients/${idOf(made)}`, { method: 'DELETE' });
    expect((await admin.get(party)).text).not.toContain(warning);
  });

  it('are at most a hundred, even if some are added at once (E0045R)', async () => {
    await server.addRelyingParty('acme', { domain: 'crowded.example', origins: [server.url] });
    const path = '/tenantapi/tenants/acme/relying-parties/crowded.example/clients';
    const clientId = idOf((await admin.post(path, SHOP)).body);
    const clients = server.get(DataSource).getRepository(OidcClient);
    const row = await clients.findOneByOrFail({ clientId });
    const others = Array.from({ length: 98 }, () => ({ ...row, clientId: randomText(16) }));
    await clients.insert(others);
    const answers = await Promise.all([1, 2, 3].map(() => admin.post(path, SHOP)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ body }) => body['reason'])).toEqual(Array(2).fill('oidc.tooManyClients'));
    expect(await clients.countBy({ relyingPartyId: row.relyingPartyId })).toBe(100);
    // A refused client brings no signing key of its algorithm.
    const { body } = await admin.post(path, { ...SHOP, algorithm: 'RS256' });
    expect(body['reason']).toBe('oidc.tooManyClients');
    const keys = await server.get(IssuerKeys).of(relyingPartyOf(server, 'crowded.example'), 'oidc');
    expect(keys).toHaveLength(1);
  });

  it('are not added to a relying party whose tenant is removed meanwhile (E0044R)', async () => {
    await server.addRelyingParty('leaving', { domain: 'leaving.example', origins: [server.url] });
    jest.spyOn(server.get(IssuerKeys), 'ensure').mockImplementationOnce(async () => {
      await server.get(TenancyService).removeTenant(server.call, 'leaving');
    });
    const path = '/tenantapi/tenants/leaving/relying-parties/leaving.example/clients';
    const answer = await admin.post(path, { ...SHOP, name: 'Late' });
    expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
    expect(await countOf(server, "oidc_clients WHERE name = 'Late'")).toBe(0);
  });

  it('are found by their exact ID alone, on databases that ignore blanks at the end too', async () => {
    const id = idOf((await add()).body);
    for (const method of ['GET', 'DELETE']) {
      const { status } = await admin.send(`${CLIENTS}/${id}%20`, { method });
      expect([method, status]).toEqual([method, 404]);
    }
    expect((await admin.get(`${CLIENTS}/${id}`)).status).toBe(200);
  });

  it('are not found at another tenant', async () => {
    const { body } = await add();
    const path = `/tenantapi/tenants/acme/relying-parties/localhost/clients/${idOf(body)}`;
    expect((await admin.get(path)).body.errorCode).toBe('E0044R');
  });
});
