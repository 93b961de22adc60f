import { adminClient, type Client } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { startIssuer } from '../support/oidc-issuer.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { TestServer } from '../support/test-server.js';

const CLIENTS = '/tenantapi/tenants/default/relying-parties/localhost/clients';
const TENANT = '9122040d-6c67-4c5b-b112-36a304b66dad';
const APP = '600b719b-3766-4dc5-95a6-3c4a8dc31885';
const CONTOSO = { name: 'Contoso', kind: 'entra', tenantId: TENANT, appId: APP };

describe.each(EVERY_DATABASE)('clients of the kind entra on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await startIssuer({ on, options: { oidc: false, entra: true } });
    admin = adminClient(server.url);
    // Creates the relying party localhost.
    await new FidoClient(server.url).register('alice');
  });
  afterAll(() => server.stop());

  const add = (members: object = {}) => admin.post(CLIENTS, { ...CONTOSO, ...members });
  const clientIn = (body: Readonly<Record<string, unknown>>) =>
    body['client'] as Record<string, unknown>;
  const change = (id: unknown, members: object) => admin.patch(`${CLIENTS}/${id}`, members);

  it('are added without a secret, with an issuer of their own, and GUIDs in any case', async () => {
    const { status, body } = await add({ tenantId: TENANT.toUpperCase() });
    expect([status, body['secret']]).toEqual([201, undefined]);
    expect(clientIn(body)).toMatchObject({
      kind: 'entra',
      issuer: `${server.url}/entra/localhost`,
      tenantId: TENANT,
      appId: APP,
      userClaim: 'oid',
      algorithm: 'RS256',
      redirectUris: [],
    });
  });

  it('are changed member by member, and named in the audit trail', async () => {
    const { clientId } = clientIn((await add()).body);
    const { body } = await change(clientId, { userClaim: 'preferred_username' });
    expect(clientIn(body)).toMatchObject({ tenantId: TENANT, userClaim: 'preferred_username' });
    const trail = await admin.get('/userapi/audit?limit=3');
    expect(trail.text).toContain('preferred_username');
    expect(trail.text).toContain(TENANT);
  });

  it.each([
    ['no tenant', { tenantId: undefined }, 'field.guid'],
    ['no application', { appId: undefined }, 'field.guid'],
    ['a name as tenant', { tenantId: 'contoso.onmicrosoft.com' }, 'field.guid'],
    ['a path as tenant', { tenantId: '../../common' }, 'field.guid'],
    ['another claim', { userClaim: 'email' }, 'field.oneOf'],
    ['redirect addresses', { redirectUris: ['https://a.example/'] }, 'oidc.notOfKind'],
    ['another algorithm', { algorithm: 'ES256' }, 'oidc.notOfKind'],
  ])('clients of the kind entra are refused with %s', async (_, members, reason) => {
    const { status, body } = await add(members);
    expect([status, body.errorCode, body['reason']]).toEqual([400, 'E0045R', reason]);
  });

  it('clients of the kind entra never become clients of another kind', async () => {
    const { clientId } = clientIn((await add()).body);
    const { body } = await change(clientId, { groups: true });
    expect(body['reason']).toBe('oidc.notOfKind');
    const rotated = await admin.post(`${CLIENTS}/${clientId}/secret`, {});
    expect(rotated.body['reason']).toBe('oidc.noSecret');
  });

  it('clients of the kind entra are the only ones while --oidc is off', async () => {
    const shop = { name: 'Shop', kind: 'web', redirectUris: ['https://shop.example/cb'] };
    const { body } = await admin.post(CLIENTS, shop);
    expect(body['reason']).toBe('oidc.kindOff');
  });
});

describe('clients of the kind entra without --entra', () => {
  it('clients of the kind entra need --entra on', async () => {
    const server = await startIssuer();
    try {
      await new FidoClient(server.url).register('alice');
      const { body } = await adminClient(server.url).post(CLIENTS, CONTOSO);
      expect(body['reason']).toBe('oidc.kindOff');
      expect((await fetch(`${server.url}/entra/localhost/jwks`)).status).toBe(404);
    } finally {
      await server.stop();
    }
  });
});
