import { issueKey, revokeKey } from '../support/application-keys.js';
import { Client, basic } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { ScimClient, expectScimError } from '../support/scim-client.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const ACME = { tenant: 'acme', domain: 'acme.example' };
const GLOBEX = { tenant: 'globex', domain: 'globex.example' };

describe.each(DATABASES)('an attacker at SCIM, on %s', (on) => {
  let server: TestServer;
  let acme: ScimClient;
  let victim: string;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { scim: true } });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    await server.addRelyingParty('acme', { domain: 'shop.acme.example' });
    await server.addRelyingParty('globex', { domain: 'globex.example' });
    acme = await ScimClient.start(server.url, ACME);
    const globex = await ScimClient.start(server.url, GLOBEX);
    victim = await globex.created({ userName: 'victim', externalId: 'v-1' });
  });
  afterAll(() => server.stop());

  const secretOf = ({ headers }: Client) => String(headers['authorization']).slice(7);
  const withKey = async (scopes: readonly string[], relyingParties?: readonly string[]) => {
    const { secret, key } = await issueKey(server.url, {
      tenant: 'acme',
      scopes,
      ...(relyingParties && { relyingParties }),
    });
    return { key, client: new ScimClient(server.url, secret, ACME) };
  };

  it.each([
    GLOBEX,
    { tenant: 'acme', domain: 'globex.example' },
    { tenant: 'globex', domain: 'acme.example' },
    { tenant: 'acme', domain: 'nobody.example' },
    { tenant: 'ACME', domain: 'acme.example' },
    { tenant: 'acme', domain: '_users' },
    { tenant: '..', domain: 'acme.example' },
  ])('finds nothing below $tenant/$domain, whether or not it exists', async (place) => {
    const client = new ScimClient(server.url, secretOf(acme), place);
    for (const [method, path, body] of [
      ['GET', '/Users', undefined],
      ['GET', `/Users/${victim}`, undefined],
      ['GET', '/ServiceProviderConfig', undefined],
      ['POST', '/Users', { userName: 'intruder' }],
      ['DELETE', `/Users/${victim}`, undefined],
    ] as const) {
      const { status } = await client.call(method, path, body);
      expect({ method, path, status }).toEqual({ method, path, status: 404 });
    }
  });

  it('learns nothing about users of another relying party by filters and IDs', async () => {
    for (const filter of ['userName eq "victim"', 'externalId eq "v-1"', `id eq "${victim}"`]) {
      expect((await acme.find(filter)).body).toMatchObject({ totalResults: 0 });
    }
    expectScimError(await acme.user(victim), 404, 'E0044R user.unknown');
    expectScimError(await acme.replace(victim, { userName: 'x' }), 404, 'E0044R user.unknown');
    expectScimError(await acme.call('DELETE', `/Users/${victim}`), 404, 'E0044R user.unknown');
    expect((await acme.create({ userName: 'victim', externalId: 'v-1' })).status).toBe(201);
  });

  it('learns nothing about groups and members of another relying party', async () => {
    const globex = await ScimClient.start(server.url, GLOBEX);
    const members = [{ value: victim }];
    const { body } = await globex.createGroup({ displayName: 'g', externalId: 'g-1', members });
    const group = String(body['id']);
    for (const filter of ['displayName eq "g"', 'externalId eq "g-1"', `id eq "${group}"`]) {
      expect((await acme.find(filter, 'Groups')).body).toMatchObject({ totalResults: 0 });
    }
    for (const [method, sent] of [
      ['GET', undefined],
      ['PUT', { displayName: 'x' }],
      ['PATCH', { Operations: [{ op: 'remove', path: 'members' }] }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await acme.call(method, `/Groups/${group}`, sent);
      expectScimError(answer, 404, 'E0044R scim.groupUnknown');
    }
    const [other, nobody] = [victim, 'AAAAAAAAAAAAAAAAAAAAAA'].map((value) =>
      acme.createGroup({ displayName: 'g', externalId: 'g-1', members: [{ value }] }),
    );
    for (const answer of [await other, await nobody]) {
      if (!answer) throw new Error('no answer');
      expectScimError(answer, 400, 'E0045R scim.memberUnknown', 'invalidValue');
    }
    expect((await acme.createGroup({ displayName: 'g', externalId: 'g-1' })).status).toBe(201);
    const { body: kept } = await globex.call('GET', `/Groups/${group}`);
    expect(kept).toMatchObject({ displayName: 'g', members });
  });

  it('needs an application key with the permission scim that covers the domain', async () => {
    const { secret } = await issueKey(server.url, { tenant: 'acme', scopes: ['users:write'] });
    const weak = new ScimClient(server.url, secret, ACME);
    expectScimError(await weak.call('GET', '/Users'), 403, 'E0043R applicationKey.needsScope');
    const { client: other } = await withKey(['scim'], ['shop.acme.example']);
    expectScimError(await other.call('GET', '/Users'), 404, 'E0044R tenant.noRelyingParty');
    const { client: revoked, key } = await withKey(['scim']);
    expect((await revoked.call('GET', '/Users')).status).toBe(200);
    await revokeKey(server.url, key);
    const refused = await revoked.call('GET', '/Users');
    expectScimError(refused, 401, 'E0042R applicationKey.invalid');
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer /);
    for (const headers of [{}, basic(ADMIN.user, ADMIN.password), { authorization: 'Bearer x' }]) {
      const client = new Client(server.url, headers);
      const answer = await client.get('/scim/v2/acme/acme.example/Users');
      expectScimError(answer, 401, 'E0042R applicationKey.needed');
      expect(answer.body['detail']).toContain('send it as "Authorization: Bearer sfk_…"');
    }
    const mistyped = await new ScimClient(server.url, 'sfk_x', ACME).call('GET', '/Users');
    expectScimError(mistyped, 401, 'E0042R applicationKey.invalid');
    const { secret: scim } = await issueKey(server.url, { tenant: 'acme', scopes: ['scim'] });
    const api = new Client(server.url, { authorization: `Bearer ${scim}` });
    expect((await api.get('/users')).status).toBe(403);
  });

  it.each<[string, string, number, string, string | undefined]>([
    ['no JSON', 'userName=x', 400, 'E0001R request.body', 'invalidSyntax'],
    ['an array', '[]', 400, 'E0001R request.body', 'invalidSyntax'],
    ['null', 'null', 400, 'E0001R request.body', 'invalidSyntax'],
    ['nothing', '', 400, 'E0045R field.name', 'invalidValue'],
    [
      '2 MB',
      JSON.stringify({ userName: 'x'.repeat(2_000_000) }),
      413,
      'E0041R request.tooLarge',
      undefined,
    ],
  ])('gets no further with a body of %s', async (_, body, status, ending, type) => {
    const before = await server.snapshot();
    const answer = await acme.call('POST', '/Users', body);
    expectScimError(answer, status, ending, type);
    expect(await server.snapshot()).toBe(before);
  });

  it('gets no further with another content type', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await acme.call('POST', '/Users', 'userName=x', form);
    expectScimError(answer, 415, 'E0048R request.contentType');
  });

  it('gets no further with __proto__, 10,000 operations and deep nesting', async () => {
    const id = await acme.created({ userName: 'target' });
    const before = await acme.user(id);
    const deep = `${'{"value":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    for (const body of [
      '{"Operations":[{"op":"add","path":"__proto__.active","value":false}]}',
      `{"Operations":[${Array(10_000).fill('{"op":"replace","path":"active","value":false}').join()}]}`,
      `{"Operations":[{"op":"add","path":"displayName","value":${deep}}]}`,
      '{"__proto__":{"Operations":[{"op":"replace","path":"userName","value":"x"}]}}',
    ]) {
      expect((await acme.call('PATCH', `/Users/${id}`, body)).status).toBe(400);
    }
    expect((await acme.user(id)).body).toEqual(before.body);
    expect(({} as { active?: boolean }).active).toBeUndefined();
  });

  it('causes no fault with odd IDs', async () => {
    for (const id of ['x', '%00', 'a'.repeat(5000), '__proto__', '%ED%A0%80', "' OR 1=1 --"]) {
      const { status } = await acme.call('GET', `/Users/${encodeURI(id)}`);
      expect({ id, status }).toEqual({ id, status: 404 });
    }
  });

  it('leaves rows of refused changes in the trail of the own tenant alone', async () => {
    await acme.call('PUT', `/Users/${victim}`, { userName: 'x' });
    const client = new ScimClient(server.url, secretOf(acme), GLOBEX);
    await client.call('POST', '/Users', { userName: 'intruder' });
    const admin = new Client(server.url, basic(ADMIN.user, ADMIN.password));
    const { body } = await admin.get('/userapi/audit?result=refused');
    const entries = body['entries'] as { tenant: string | null }[];
    expect(entries.filter(({ tenant }) => tenant !== 'acme')).toEqual([]);
    expect(entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'user.create', code: 'E0044R' }),
        expect.objectContaining({ action: 'user.change', target: victim, code: 'E0044R' }),
      ]),
    );
  });
});
