import { KEY_PERMISSIONS } from '../../src/platform/access/permissions.js';
import { newKeySecret } from '../../src/platform/access/accounts/key-secret.js';
import { AdminClient } from '../support/admin-client.js';
import { ADMIN_ENDPOINTS } from '../support/admin-endpoints.js';
import { bearer, issueKey, keyClient } from '../support/application-keys.js';
import { Client, adminClient } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { UPLOAD, postList } from '../support/list-upload.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const ACME = 'acme.example';
const POLICY = `/tenantapi/tenants/acme/relying-parties/${ACME}`;

describe('an application key in the administration', () => {
  let server: TestServer;
  const secrets = new Map<string, string>();
  beforeAll(async () => {
    server = await TestServer.start();
    await server.addRelyingParty('acme', { domain: ACME });
    await server.addRelyingParty('acme', { domain: 'acme.test' });
    await server.addRelyingParty('rival', { domain: 'rival.example' });
    for (const permission of KEY_PERMISSIONS) {
      const { secret } = await issueKey(server.url, { tenant: 'acme', scopes: [permission] });
      secrets.set(permission, secret);
    }
    const limited = { tenant: 'acme', relyingParties: [ACME], scopes: KEY_PERMISSIONS };
    secrets.set('limited', (await issueKey(server.url, { ...limited, name: 'limited' })).secret);
    await new FidoClient(server.url, { relyingParty: ACME }).register('anna');
  });
  afterAll(() => server.stop());

  const by = (name: string, relyingParty?: string) =>
    keyClient(server.url, String(secrets.get(name)), relyingParty);
  const send = (client: Client, method: string, path: string, body?: object) =>
    client.send(path, {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  describe.each(KEY_PERMISSIONS)('an application key with the permission %s', (permission) => {
    it.each(
      ADMIN_ENDPOINTS.map((endpoint) => ({
        ...endpoint,
        verb: endpoint.permission === permission ? 'may' : 'may not',
        what: JSON.stringify(endpoint.body ?? ''),
      })),
    )(
      `a key with ${permission} $verb call $method $path $what`,
      async ({ method, path, body, permission: needed }) => {
        const answer = await send(by(permission, ACME), method, path, body);
        if (needed === permission) expect([401, 403]).not.toContain(answer.status);
        else expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
      },
    );
  });

  it.each([
    ['X-API-Key', (secret: string) => ({ 'X-API-Key': secret })],
    ['Api-Key', (secret: string) => ({ 'Api-Key': secret })],
    ['X-Auth-Token', (secret: string) => ({ 'X-Auth-Token': `Bearer ${secret}` })],
    ['Authorization without a word', (secret: string) => ({ Authorization: secret })],
    ['Authorization: Token', (secret: string) => ({ Authorization: `Token ${secret}` })],
  ])('an application key in %s is refused with the right header', async (_, headers) => {
    const secret = String(secrets.get('users:read'));
    const refused = await new Client(server.url).send('/users', {
      headers: { accept: 'application/json', ...headers(secret) },
    });
    expect(refused).toMatchObject({
      status: 401,
      body: {
        errorCode: 'E0042R',
        reason: 'authentication.needed',
        errorMessage:
          'Authentication is required. An application key counts only as "Authorization: Bearer sfk_…", not in ' +
          'the address, in another header or behind another word.',
      },
    });
    const begun = await new Client(server.url).send('/fidoapi/register/begin', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-servicefido-relyingparty': 'acme.test',
        ...headers(secret),
      },
      body: JSON.stringify({ username: 'kim', displayName: 'Kim' }),
    });
    expect(begun.status).toBe(200);
    expect(String(begun.body['warnings'])).toContain('An application key counts only as');
    expect(JSON.stringify([refused.body, begun.body, server.logged])).not.toContain(secret);
  });

  it('another value in X-API-Key, which a gateway may add, changes no answer', async () => {
    const headers = { accept: 'application/json', 'X-API-Key': 'of-the-gateway' };
    const { body } = await new Client(server.url).send('/users', { headers });
    expect(body['errorMessage']).not.toContain('counts only as');
  });

  it('a relying party that demands application keys says where one belongs', async () => {
    await server.addRelyingParty('strict', {
      domain: 'keys.example',
      policy: { callers: 'keys' },
    });
    const refused = await new Client(server.url).send('/fidoapi/register/begin', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-servicefido-relyingparty': 'keys.example',
        'x-api-key': String(secrets.get('ceremonies')),
      },
      body: JSON.stringify({ username: 'kim', displayName: 'Kim' }),
    });
    expect(refused).toMatchObject({ status: 403, body: { reason: 'relyingParty.keysOnly' } });
    expect(refused.body['errorMessage']).toContain('An application key counts only as');
  });

  it('an application key opens no page, even for a client that accepts HTML (403)', async () => {
    for (const path of ['/userapi', '/userapi/user?name=anna', '/userapi/explain', '/']) {
      for (const permission of ['users:read', 'users:write', 'invoices:read']) {
        const page = await by(permission, ACME).get(path, { accept: 'text/html' });
        expect([path, permission, page.status]).toEqual([path, permission, 403]);
      }
    }
  });

  it('an application key makes the changes it may, and the audit trail names it', async () => {
    const listing = await by('users:read', ACME).get('/userapi/manageusers?filter=anna');
    expect(listing).toMatchObject({ status: 200, body: { users: [{ username: 'anna' }] } });
    const reader = new AdminClient(server.url, ACME, bearer(String(secrets.get('users:read'))));
    expect((await postList(reader, UPLOAD, 'anna\n')).status).toBe(200);
    const change = { type: 'disableall', filter: 'anna' };
    const changed = await by('users:write', ACME).post('/userapi/manageusers', change);
    expect(changed).toMatchObject({ status: 200, body: { users: 1 } });
    const ticket = { username: 'berta', relyingParty: ACME };
    expect((await by('tickets').post('/userapi/tickets', ticket)).status).toBe(201);
    const { body } = await adminClient(server.url).get('/userapi/audit?limit=2');
    const shown = (name: string) => `key:backend (${secrets.get(name)?.slice(0, 12)})`;
    expect(body['entries']).toMatchObject([
      { account: shown('tickets'), role: 'key', action: 'ticket.issue', target: 'berta' },
      { account: shown('users:write'), role: 'key', action: 'user.disable', target: 'anna' },
    ]);
  });

  describe('an application key and its relying parties', () => {
    const list = (name: string, relyingParty?: string) =>
      by(name, relyingParty).get('/userapi/manageusers?limit=1');

    it('an application key that covers one relying party needs no header', async () => {
      const ticket = { type: 'enableall', filter: 'anna' };
      expect((await by('limited').post('/userapi/manageusers', ticket)).status).toBe(200);
    });

    it('an application key that covers several relying parties must name one (E0025R)', async () => {
      const change = { type: 'enableall', filter: 'anna' };
      const answer = await by('users:write').post('/userapi/manageusers', change);
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0025R' } });
      expect(answer.body['domains']).toEqual([ACME, 'acme.test']);
    });

    it.each([
      ['a relying party that it does not cover', 'limited', 'acme.test'],
      ['a relying party of another tenant', 'limited', 'rival.example'],
      ['another tenant, though it covers all of its own', 'users:read', 'rival.example'],
    ])('refuses an application key at %s (E0043R)', async (_, name, domain) => {
      const answer = await list(name, domain);
      expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
      const ticket = { username: 'x', relyingParty: domain };
      const permission = name === 'limited' ? name : 'tickets';
      expect(await by(permission).post('/userapi/tickets', ticket)).toMatchObject({ status: 403 });
      const path = `/tenantapi/tenants/acme/relying-parties/${domain}`;
      const policy = { policy: { counter: 'warn' } };
      expect([403, 404]).toContain((await send(by('limited'), 'PATCH', path, policy)).status);
    });

    it('an application key gets only its own domains for an unknown relying party (E0025R)', async () => {
      const answer = await list('limited', 'nobody.example');
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0025R' } });
      expect(answer.body['domains']).toEqual([ACME]);
    });

    it('an application key cannot change the policy of another tenant (E0044R)', async () => {
      const path = '/tenantapi/tenants/rival/relying-parties/rival.example';
      const answer = await send(by('policy:write'), 'PATCH', path, { policy: {} });
      expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
    });

    it('an application key of one relying party cannot read the tenant’s invoices (E0043R)', async () => {
      for (const path of ['/userapi/invoice', '/userapi/invoices', '/userapi/invoiceest']) {
        const answer = await by('limited').get(path, { accept: 'application/json' });
        expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
      }
      const whole = await by('invoices:read').get('/userapi/invoice', {
        accept: 'application/json',
      });
      expect(whole.status).toBe(200);
      expect(whole.text).toContain('acme');
      expect(whole.text).not.toContain('rival');
    });
  });

  describe('an application key with policy:write', () => {
    const patch = (body: object) => send(by('policy:write'), 'PATCH', POLICY, body);
    const set = (policy: object) => send(adminClient(server.url), 'PATCH', POLICY, { policy });

    it('policy:write changes requirements of keys, and keeps members that it may not change', async () => {
      await set({ registration: 'ticket', trust: 'report', counter: 'reject' });
      const answer = await patch({ policy: { userVerification: 'required' } });
      expect(answer.status).toBe(200);
      expect(answer.body['policy']).toEqual({
        userVerification: 'required',
        registration: 'ticket',
        trust: 'report',
      });
      const repeated = await patch({ policy: { registration: 'ticket', counter: 'warn' } });
      expect(repeated.status).toBe(200);
    });

    it.each<[string, object]>([
      ['registration', { registration: 'open' }],
      ['aaguid', { aaguid: 'reported' }],
      ['trust', { trust: 'off' }],
      ['minPinLength', { minPinLength: 6 }],
      ['profiles', { profiles: [{ name: 'A', group: 'a', rules: {} }] }],
      ['anchors', { anchors: [] }],
      ['topOrigins', { topOrigins: ['https://portal.example'] }],
      ['audiences', { audiences: ['https://api.example'] }],
      ['unknownUsers', { unknownUsers: 'refuse' }],
    ])('policy:write cannot change policy.%s (E0043R)', async (name, policy) => {
      await set({ registration: 'ticket', trust: 'report', unknownUsers: 'pretend' });
      const answer = await patch({ policy });
      expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
      expect(answer.body.errorMessage).toContain(`policy.${name}`);
    });

    it.each<[string, object]>([
      ['a name', { name: 'Acme' }],
      ['origins', { policy: {}, origins: [`https://${ACME}`] }],
      ['an empty body', {}],
    ])('policy:write cannot change a relying party with %s (E0043R)', async (_, body) => {
      expect(await patch(body)).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
    });
  });

  describe('a wrong application key', () => {
    const rightButOne = (secret: string) =>
      secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    it.each<[string, () => string]>([
      ['a secret that was never issued', newKeySecret],
      ['a secret with a wrong checksum', () => rightButOne(newKeySecret())],
      ['the prefix alone', () => 'sfk_'],
      ['a right secret with more behind it', () => `${secrets.get('users:read')} more`],
      [
        'a secret that only begins like a right one',
        () => `${secrets.get('users:read')?.slice(0, 12)}${newKeySecret().slice(12)}`,
      ],
    ])('refuses %s, with a Bearer challenge (E0042R)', async (_, secret) => {
      for (const path of ['/userapi/manageusers', '/userapi/nothing', POLICY, '/']) {
        const answer = await new Client(server.url).get(path, {
          ...bearer(secret()),
          accept: 'application/json',
        });
        expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0042R' } });
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="ServiceFido"/);
      }
    });

    it('each wrong application key gets the same answer', async () => {
      const answers = await Promise.all(
        [newKeySecret(), 'sfk_', rightButOne(newKeySecret())].map((secret) =>
          new Client(server.url).get('/users', bearer(secret)),
        ),
      );
      const said = answers.map(({ body }) => JSON.stringify({ ...body, requestId: '' }));
      expect(new Set(said).size).toBe(1);
    });
  });

  it('an application key is refused as a password of HTTP Basic and in a query', async () => {
    const secret = String(secrets.get('users:read'));
    const pair = Buffer.from(`${ADMIN.user}:${secret}`).toString('base64');
    const client = new Client(server.url);
    const basic = await client.get('/users', { authorization: `Basic ${pair}` });
    expect(basic.status).toBe(401);
    expect((await client.get(`/users?access_token=${secret}`)).status).toBe(401);
  });
});

describe('an application key with --auth off', () => {
  it('an application key keeps its permissions with --auth off', async () => {
    const server = await TestServer.start({ options: { auth: false } });
    const { secret } = await issueKey(server.url, { tenant: 'default', scopes: ['users:read'] });
    const client = keyClient(server.url, secret);
    expect((await client.get('/users')).status).toBe(200);
    expect((await client.get('/tenantapi/tenants')).status).toBe(403);
    expect((await keyClient(server.url, newKeySecret()).get('/users')).status).toBe(401);
    await server.stop();
  });
});
