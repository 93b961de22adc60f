import * as client from 'openid-client';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { addClient, authorizationRequest, discover, startIssuer } from '../support/oidc-issuer.js';
import { OidcSession } from '../support/oidc-session.js';
import { BY_HAND, type TestServer } from '../support/test-server.js';

const RELYING_PARTY = '/tenantapi/tenants/default/relying-parties/localhost';
const ADMINS = {
  name: 'Administrators',
  group: 'admins',
  rules: { backupEligible: 'refused', onFinding: 'refuse-next-sign-in' },
} as const;

describe.each(DATABASES)('a sign-in by OpenID Connect of a user with a profile, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  let config: client.Configuration;
  beforeAll(async () => {
    server = await startIssuer({ on, speed: BY_HAND });
    admin = new AdminClient(server.url, 'localhost');
    config = await discover(await addClient(server, { groups: true }));
    const policy = { aaguid: 'reported', profiles: [ADMINS] };
    expect((await admin.patch(RELYING_PARTY, { policy })).status).toBe(200);
  });
  afterAll(() => server.stop());

  const synced = () =>
    new FidoClient(server.url, { authenticator: new SoftAuthenticator({ backupEligible: true }) });
  const setGroups = async (username: string, groups: readonly string[]) => {
    expect((await admin.put('/userapi/users/groups', { username, groups })).status).toBe(200);
    await evaluateKeys(server);
  };
  const errorOf = (address: string) => new URL(address).searchParams.get('error');
  const codeOf = ({ text }: { readonly text: string }) =>
    (JSON.parse(text) as { errorCode?: string }).errorCode;

  it('ends session, code and tokens for good when the rules of a new group refuse the key', async () => {
    const session = await OidcSession.begin(server.url, config, 'anna', synced());
    expect(await session.silentError()).toBeNull();
    await setGroups('anna', ['admins']);
    await session.expectOver();
    await setGroups('anna', []);
    await session.expectOver();
    expect((await session.user.signIn('anna')).status).toBe(200);
  });

  it('lets no user in whose profile refuses the key, whatever the application asks for', async () => {
    const user = synced();
    await user.register('ben');
    await setGroups('ben', ['admins']);
    for (const more of [{}, { acr_values: 'phrh' }, { prompt: 'login' }, { max_age: '0' }]) {
      const browser = new OidcBrowser(server.url, user);
      const { address } = await authorizationRequest(config, more);
      const { url } = await browser.open(String(address));
      const refused = await browser.complete(url, await browser.assertionOf('ben'));
      expect(codeOf(refused)).toBe('E0031R');
      const { text } = await browser.post(`${url}/cancel`, {});
      const { returnTo } = JSON.parse(text) as { returnTo: string };
      expect(errorOf((await browser.open(returnTo)).url)).toBe('access_denied');
      const silent = await authorizationRequest(config, { prompt: 'none' });
      expect(errorOf((await browser.open(String(silent.address))).url)).toBe('login_required');
    }
  });

  it('asks a weak or old session again, and never silently', async () => {
    // The provider has a clock of its own, for which each sign-in is two minutes old.
    server.clock.advance(-120_000);
    const { browser } = await OidcSession.begin(server.url, config, 'emil', synced());
    for (const more of [{ acr_values: 'phrh' }, { max_age: '30' }, { max_age: '0' }]) {
      const silent = await authorizationRequest(config, { ...more, prompt: 'none' });
      expect(errorOf((await browser.open(String(silent.address))).url)).toBe('login_required');
      const { address, checks } = await authorizationRequest(config, more);
      const back = await browser.authorize(address, 'emil');
      const tokens = await client.authorizationCodeGrant(config, back, checks);
      expect(tokens.claims()).toMatchObject({ acr: 'phr' });
    }
    server.clock.advance(120_000);
    const { address } = await authorizationRequest(config, { prompt: 'none login' });
    expect(errorOf((await browser.open(String(address))).url)).toBe('invalid_request');
  });

  it('promises no class in the parameter claims, and says in the token which one it was', async () => {
    expect(config.serverMetadata().claims_parameter_supported).not.toBe(true);
    const user = synced();
    await user.register('fred');
    const browser = new OidcBrowser(server.url, user);
    const acr = { essential: true, values: ['phrh'] };
    const { address, checks } = await authorizationRequest(config, {
      claims: JSON.stringify({ id_token: { acr } }),
    });
    const back = await browser.authorize(address, 'fred');
    const tokens = await client.authorizationCodeGrant(config, back, checks);
    expect(tokens.claims()).toMatchObject({ acr: 'phr' });
  });
});
