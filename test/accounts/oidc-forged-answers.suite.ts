import { BrowserClient } from '../support/browser-client.js';
import { LyingProvider, type Lie } from '../support/oidc/lying-provider.js';
import { freePort } from '../support/server-process.js';
import { TestServer } from '../support/test-server.js';

const BEGIN = '/console/oidc';
const HOUR_AGO = Math.floor(Date.now() / 1000) - 3600;
const OTHER = 'https://other.example';

describe('an answer of the OpenID provider that is forged', () => {
  let provider: LyingProvider;
  let server: TestServer;
  beforeAll(async () => {
    provider = await LyingProvider.start();
    const port = await freePort();
    const options = { consoleOidc: provider.file(`http://localhost:${port}`) };
    server = await TestServer.start({ options, port });
  });
  afterAll(async () => {
    await server.stop();
    provider.stop();
  });

  /** Comes back from the provider; answers the status and the session of the browser. */
  async function signIn(lie: Lie) {
    provider.lie = lie;
    const browser = new BrowserClient(server.url);
    const asked = (await browser.fetch(BEGIN)).header('location') ?? '';
    const { status } = await browser.open(`${BEGIN}/callback?${provider.answerTo(asked)}`);
    return { status, session: browser.session };
  }

  it.each<[string, Lie]>([
    ['of another issuer', { claims: { iss: OTHER } }],
    ['without issuer', { claims: { iss: null } }],
    ['for another client', { claims: { aud: 'other' } }],
    [
      'for two clients, to the other one',
      { claims: { aud: ['servicefido', 'other'], azp: 'other' } },
    ],
    ['for nobody', { claims: { aud: null } }],
    ['with the nonce of another sign-in', { claims: { nonce: 'another' } }],
    ['without nonce', { claims: { nonce: null } }],
    ['that has expired', { claims: { exp: HOUR_AGO } }],
    ['without end', { claims: { exp: null } }],
    ['without time', { claims: { iat: null } }],
    ['about nobody', { claims: { sub: null } }],
    ['about a list', { claims: { sub: ['u-anna'] } }],
    ['signed with the client’s secret', { alg: 'HS256' }],
    ['without signature', { alg: 'none' }],
    ['signed with another key of the same ID', { key: 'foreign' }],
    [
      'whose user is another one than that of the userinfo endpoint',
      { claims: { groups: null }, userinfo: { sub: 'u-ben', groups: ['fido-admins'] } },
    ],
  ])('opens no console with an ID token %s', async (_, lie) => {
    expect(await signIn(lie)).toEqual({ status: 401, session: undefined });
    const genuine = await signIn({});
    expect([genuine.status, typeof genuine.session]).toEqual([200, 'string']);
  });

  it.each<[string, unknown]>([
    ['as one text', 'staff fido-admins'],
    ['in other letters', ['Fido-Admins', 'FIDO-ADMINS']],
    ['with blanks', ['fido-admins ', ' fido-admins', 'fido-admins\0']],
    ['as an object', [{ name: 'fido-admins' }, { 'fido-admins': true }]],
    ['in a list of lists', [['fido-admins']]],
  ])('gives nothing for groups %s', async (_, groups) => {
    expect(await signIn({ claims: { groups } })).toEqual({ status: 401, session: undefined });
  });
});

describe('a provider that says it is another issuer', () => {
  it('opens no console, and gets no code', async () => {
    const provider = await LyingProvider.start();
    provider.lie = { metadata: { issuer: OTHER, token_endpoint: `${OTHER}/token` } };
    const port = await freePort();
    const options = { consoleOidc: provider.file(`http://localhost:${port}`) };
    const server = await TestServer.start({ options, port });
    const shown = await new BrowserClient(server.url).open(BEGIN);
    expect(shown.status).toBe(401);
    await server.stop();
    provider.stop();
  });
});
