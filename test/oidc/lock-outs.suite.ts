import * as client from 'openid-client';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { AdminClient } from '../support/admin-client.js';
import { bearer } from '../support/application-keys.js';
import { BrowserClient } from '../support/browser-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { addClient, authorizationRequest, discover, startIssuer } from '../support/oidc-issuer.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { OidcSession } from '../support/oidc-session.js';
import { fieldsOfForm } from '../support/page-forms.js';
import { ADMIN, type TestServer } from '../support/test-server.js';

describe.each(DATABASES)('the end of what a sign-in by OpenID Connect permits, on %s', (on) => {
  let server: TestServer;
  let config: client.Configuration;
  let admin: AdminClient;
  beforeAll(async () => {
    server = await startIssuer({ on });
    admin = new AdminClient(server.url, 'localhost');
    await new FidoClient(server.url).register('alice');
    config = await discover(await addClient(server));
  });
  afterAll(() => server.stop());

  const signedIn = (name: string) => OidcSession.begin(server.url, config, name);
  const changePolicy = async (policy: RelyingPartyPolicy) => {
    const tenancy = server.get(TenancyService);
    await tenancy.changeRelyingParty(server.call, 'default', 'localhost', { policy });
    await evaluateKeys(server);
  };
  const manage = async (type: string, name: string, user?: FidoClient) => {
    const device = user && { device: user.keyId };
    const { status } = await admin.manage({ type, filter: name, ...device });
    expect(status).toBe(200);
  };
  const suspend = async (username: string, suspended: boolean) => {
    const { status } = await admin.post('/userapi/users/suspension', { username, suspended });
    expect(status).toBe(200);
  };

  it.each([
    ['disabled', (name: string) => manage('disableall', name)],
    ['deleted', (name: string) => manage('deluser', name)],
    ['suspended', (name: string) => suspend(name, true)],
  ])('comes for session, code and tokens when the user is %s', async (how, lockOut) => {
    const one = await signedIn(`bob-${how}`);
    const { sub = '' } = one.tokens.claims() ?? {};
    await client.fetchUserInfo(config, one.tokens.access_token, sub);
    expect(await one.silentError()).toBeNull();
    await lockOut(`bob-${how}`);
    await one.expectOver();
  });

  it('lasts when the suspension of the user ends, until the next sign-in', async () => {
    const one = await signedIn('bob-returns');
    await suspend('bob-returns', true);
    await suspend('bob-returns', false);
    await one.expectOver();
    const again = await authorizationRequest(config);
    const back = await one.browser.authorize(again.address, 'bob-returns');
    const tokens = await client.authorizationCodeGrant(config, back, again.checks);
    expect(tokens.claims()?.sub).toBe(one.tokens.claims()?.sub);
  });

  describe('after a sign-in with a second key of the user', () => {
    /** Signs a browser of the first key in again, with the second one. */
    const signInAgain = async (name: string, former: OidcBrowser): Promise<OidcBrowser> => {
      const second = new FidoClient(server.url);
      await second.register(name);
      const browser = new OidcBrowser(server.url, second);
      browser.takeCookiesOf(former);
      const { address } = await authorizationRequest(config, { prompt: 'login' });
      const back = await browser.authorize(address, name);
      expect(back.searchParams.get('error')).toBeNull();
      return browser;
    };

    it('comes for the session with that key, whatever the first one did at another client', async () => {
      const other = await discover(await addClient(server));
      const one = await signedIn('lou-session');
      await one.browser.open(String((await authorizationRequest(other)).address));
      const browser = await signInAgain('lou-session', one.browser);
      const silent = { prompt: 'none' };
      const at = async (where: client.Configuration) => {
        const { address } = await authorizationRequest(where, silent);
        return new URL((await browser.open(String(address))).url).searchParams.get('error');
      };
      expect([await at(config), await at(other)]).toEqual([null, null]);
      await manage('disabledevice', 'lou-session', browser.user);
      expect([await at(other), await at(config)]).toEqual(['login_required', 'login_required']);
    });

    it('comes for tokens with the key that they come from, also after a refresh', async () => {
      const one = await signedIn('lou-tokens');
      await signInAgain('lou-tokens', one.browser);
      const refresh = (token: unknown) => client.refreshTokenGrant(config, String(token));
      const tokens = await refresh(one.tokens.refresh_token);
      const { sub = '' } = tokens.claims() ?? {};
      await client.fetchUserInfo(config, tokens.access_token, sub);
      await manage('disabledevice', 'lou-tokens', one.user);
      await expect(client.fetchUserInfo(config, tokens.access_token, sub)).rejects.toThrow();
      await expect(refresh(tokens.refresh_token)).rejects.toThrow();
    });
  });

  /** Ways in which a key is disabled or deleted, each with the way back. */
  const ways: Readonly<Record<string, (name: string, user: FidoClient) => Promise<void>>> = {
    'was disabled by the help desk': async (name, user) => {
      await manage('disabledevice', name, user);
      await manage('enabledevice', name, user);
    },
    'was reported by its user': async (name, user) => {
      const other = new FidoClient(server.url);
      await other.register(name);
      const token = bearer(String((await other.signIn(name)).body['token']));
      const reported = await other.post(`/fidoapi/keys/${user.keyId}/report`, {}, token);
      expect(reported.body['key']).toMatchObject({ enabled: false });
      await manage('enabledevice', name, user);
    },
    'was disabled by its counter': async (name, user) => {
      await changePolicy({ counter: 'disable' });
      expect((await user.signIn(name, { signCount: 1 })).body.errorCode).toBe('E0035R');
      await manage('enabledevice', name, user);
      await changePolicy({});
    },
    'was disabled by a finding': async (name, user) => {
      const made = await user.signIn(name);
      const aaguid = String(made.body['aaguid']);
      await changePolicy({ aaguid: 'reported', block: [aaguid], onFinding: 'disable' });
      expect((await user.signIn(name)).status).not.toBe(200);
      await changePolicy({});
    },
    'was deleted and restored': async (name, user) => {
      const browser = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
      const page = `/userapi/user?name=${name}&rp=localhost`;
      await browser.open(page);
      const key = { action: 'delete-key', name, rp: 'localhost', key: user.keyId };
      expect((await browser.submit('/userapi/user', key)).status).toBe(200);
      const fields = fieldsOfForm((await browser.open(page)).text, '/userapi/undo');
      expect((await browser.submit('/userapi/undo', fields)).status).toBe(200);
    },
    'was deleted with its user and restored': async (name) => {
      const browser = await BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
      const page = `/userapi/user?name=${name}&rp=localhost`;
      await browser.open(page);
      const user = { action: 'delete-user', name, rp: 'localhost', confirm: name };
      expect((await browser.submit('/userapi/user', user)).status).toBe(200);
      const fields = fieldsOfForm((await browser.open(page)).text, '/userapi/undo');
      expect((await browser.submit('/userapi/undo', fields)).status).toBe(200);
    },
  };

  it.each(Object.entries(ways))('lasts for a key that %s', async (how, disableAndEnable) => {
    const name = `kim ${how}`.replaceAll(' ', '-');
    const one = await signedIn(name);
    expect(await one.silentError()).toBeNull();
    await disableAndEnable(name, one.user);
    expect((await one.user.signIn(name)).status).toBe(200);
    await one.expectOver();
  });
});
