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
  ])('is refused if the origin is %s (E0029R)', async (origin) => {
    expectRefusal(await register(origin), 'E0029R');
  });

  it('is refused if another relying party lists the origin (E0029R)', async () => {
    expectRefusal(await register('https://acme.example', {}, 'plain.example'), 'E0029R');
  });

  describe('a page that embeds a ceremony (WebAuthn L3 §7.1 steps 10–11)', () => {
    const origin = 'https://acme.example';

    it('may embed it if topOrigins lists the page', async () => {
      const answer = await register(origin, { crossOrigin: true, topOrigin: TOP });
      expect(answer).toMatchObject({ status: 200 });
    });

    it.each([
      [{ crossOrigin: true }],
      [{ crossOrigin: true, topOrigin: 'https://evil.example' }],
      [{ crossOrigin: true, topOrigin: `${TOP}.evil.example` }],
      [{ crossOrigin: false, topOrigin: TOP }],
      [{ crossOrigin: undefined, topOrigin: TOP }],
    ])('is refused for the client data %j (E0029R)', async (clientData) => {
      expectRefusal(await register(origin, clientData), 'E0029R');
    });
  });

  it.each(['null', 'https://evil.example', 'https://plain.example'])(
    'is refused in the result call if it is %s, which uses up the challenge (E0029R)',
    async (sender) => {
      const client = new FidoClient(server.url, {
        relyingParty: 'acme.example',
        origin: 'https://acme.example',
      });
      const body = client.create(await client.beginRegistration('ben'));
      const path = client.paths.completeRegistration;
      expectRefusal(await client.post(path, body, { origin: sender }), 'E0029R');
      expectRefusal(await client.completeRegistration(body), 'E0024R');
    },
  );
});
