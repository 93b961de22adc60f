import { DataSource } from 'typeorm';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import { adminClient } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const APP = 'android:apk-key-hash:Ab-cd_EF0123456789';
const TOP = 'https://portal.example';

/** Origins that a relying party allows beyond its own, and similar ones that it does not (§2, WebAuthn L3 §13.4.9). */
describe('a page at an origin', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    await server.addRelyingParty('acme', {
      domain: 'acme.example',
      origins: ['https://acme.example', 'https://*.acme.example', 'https://dev.example:*', APP],
      policy: { topOrigins: [TOP] },
    });
    await server.addRelyingParty('plain', { domain: 'plain.example' });
  });
  afterAll(() => server.stop());

  const register = async (origin: string, clientData = {}, relyingParty = 'acme.example') => {
    const client = new FidoClient(server.url, { relyingParty, origin });
    const begun = await client.beginRegistration('anna');
    return client.completeRegistration(client.create(begun, { clientData }));
  };

  it.each([
    'https://acme.example',
    'https://www.acme.example',
    'https://a.b.acme.example',
    'https://dev.example',
    'https://dev.example:8443',
    APP,
  ])('registers and signs in if the origin is %s', async (origin) => {
    const client = new FidoClient(server.url, { relyingParty: 'acme.example', origin });
    expect(await client.register(`user of ${origin}`)).toMatchObject({ status: 200 });
    expect(await client.signIn(`user of ${origin}`)).toMatchObject({ status: 200 });
  });

  it.each([
    'http://acme.example',
    'http://www.acme.example',
    'https://acme.example:443',
    'https://www.acme.example:8443',
    'https://evilacme.example',
    'https://evil.example/.acme.example',
    'https://evil.example#.acme.example',
    'https://user@www.acme.example',
    'https://WWW.acme.example',
    'https://.acme.example',
    'https://dev.example:8443@evil.example',
    'https://x.dev.example',
    APP.toLowerCase(),
    `${APP}x`,
  ])('a page at an origin is refused if the origin is %s (E0029R)', async (origin) => {
    expectRefusal(await register(origin), 'E0029R');
  });

  const list = async (body: object) => {
    const path = '/tenantapi/tenants/acme/relying-parties';
    return adminClient(server.url).post(path, body);
  };

  it('an address, upper case, a default port and a lone slash are stored as browsers write them', async () => {
    const answer = await list({
      domain: 'HTTPS://Written.Example/page',
      origins: [
        'https://written.example:443',
        'HTTPS://WRITTEN.example/',
        'http://localhost:0080',
        'https://*.Written.example:443',
        'http://localhost:*',
        'https://written.example:8443',
        'chrome-extension://abcdefghijklmnopabcdefghijklmnop/',
        'safari-web-extension://0A1B-2C',
      ],
      policy: { topOrigins: ['https://Portal.example:443/'] },
    });
    const origins = [
      'https://written.example',
      'http://localhost',
      'https://*.written.example',
      'http://localhost:*',
      'https://written.example:8443',
      'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
      'safari-web-extension://0A1B-2C',
    ];
    const policy = { topOrigins: ['https://portal.example'] };
    expect(answer).toMatchObject({
      status: 201,
      body: { domain: 'written.example', origins, policy },
    });
    expect(String(answer.body['warnings'])).toContain(
      'https://written.example:443 → https://written.example',
    );
    const settings = { relyingParty: 'written.example' };
    expect((await new FidoClient(server.url, settings).register('wanda')).status).toBe(200);
  });

  it('what an earlier version stored is read as browsers write it', async () => {
    await list({ domain: 'stored.example' });
    await server
      .get(DataSource)
      .query("UPDATE relying_parties SET origins = ?, policy = ? WHERE domain = 'stored.example'", [
        '["https://stored.example:443"]',
        '{"topOrigins":["https://portal.example:443"]}',
      ]);
    await server.get(RelyingPartyCache).refresh();
    const settings = { relyingParty: 'stored.example' };
    const client = new FidoClient(server.url, settings);
    const begun = await client.beginRegistration('sam');
    const clientData = { crossOrigin: true, topOrigin: 'https://portal.example' };
    const answer = await client.completeRegistration(client.create(begun, { clientData }));
    expect(answer).toMatchObject({ status: 200 });
    const { body } = await adminClient(server.url).get(
      '/tenantapi/tenants/acme/relying-parties/stored.example',
    );
    expect(body['origins']).toEqual(['https://stored.example']);
  });

  it.each([
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'moz-extension://2c127fa4-62c7-7e4f-90e5-472b45eecfdc',
    'safari-web-extension://8F1E2A3B-0000',
    'capacitor://localhost',
    'ionic://localhost',
    'tauri://localhost',
  ])('registers and signs in if the app shell %s is listed, and no other', async (origin) => {
    const domain = `${origin.split(':')[0]}.shell.example`;
    expect((await list({ domain, origins: [`https://${domain}`, origin] })).status).toBe(201);
    const client = new FidoClient(server.url, { relyingParty: domain, origin });
    expect(await client.register('ann')).toMatchObject({ status: 200 });
    expect(await client.signIn('ann')).toMatchObject({ status: 200 });
    expectRefusal(await register(`${origin}x`, {}, domain), 'E0029R');
    expectRefusal(await register(origin, {}, 'plain.example'), 'E0029R');
  });

  it.each(['chrome-extension://', 'chrome-extension://a/b', 'capacitor://*', 'myapp://localhost'])(
    'an origin cannot be listed as %s (E0045R)',
    async (origin) => {
      const answer = await list({ domain: 'refused.example', origins: [origin] });
      expect(answer.body.errorCode).toBe('E0045R');
    },
  );

  it('a page at an origin is refused if another relying party lists the origin (E0029R)', async () => {
    expectRefusal(await register('https://acme.example', {}, 'plain.example'), 'E0029R');
  });

  describe('a page that embeds a ceremony (WebAuthn L3 §7.1 steps 10–11)', () => {
    const origin = 'https://acme.example';

    it('a page may embed a ceremony if topOrigins lists it', async () => {
      const answer = await register(origin, { crossOrigin: true, topOrigin: TOP });
      expect(answer).toMatchObject({ status: 200 });
    });

    it.each([
      [{ crossOrigin: true }],
      [{ crossOrigin: true, topOrigin: 'https://evil.example' }],
      [{ crossOrigin: true, topOrigin: `${TOP}.evil.example` }],
      [{ crossOrigin: false, topOrigin: TOP }],
      [{ crossOrigin: undefined, topOrigin: TOP }],
    ])('an embedded ceremony is refused for the client data %j (E0029R)', async (clientData) => {
      expectRefusal(await register(origin, clientData), 'E0029R');
    });
  });

  it.each(['null', 'https://evil.example', 'https://plain.example'])(
    'a page at an origin is refused in the result call if it is %s, which uses up the challenge (E0029R)',
    async (sender) => {
      const client = new FidoClient(server.url, {
        relyingParty: 'acme.example',
      });
      const body = client.create(await client.beginRegistration('ben'));
      const path = client.paths.completeRegistration;
      expectRefusal(await client.post(path, body, { origin: sender }), 'E0029R');
      expectRefusal(await client.completeRegistration(body), 'E0024R');
    },
  );
});
