import * as client from 'openid-client';
import { FidoClient } from './fido-client.js';
import { OidcBrowser } from './oidc-browser.js';
import { authorizationRequest } from './oidc-issuer.js';

const OFFLINE = { scope: 'openid offline_access', prompt: 'consent' };

/** What a sign-in by OpenID Connect has given a user and an application: a session, a code and tokens. */
export class OidcSession {
  private constructor(
    private readonly config: client.Configuration,
    readonly user: FidoClient,
    readonly browser: OidcBrowser,
    readonly tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
    /** Redeems a code that no application has redeemed yet. */
    readonly redeem: () => Promise<unknown>,
  ) {}

  /** Registers a user of this name, who signs in. */
  static async begin(
    url: string,
    config: client.Configuration,
    name: string,
    user = new FidoClient(url),
  ) {
    await user.register(name);
    const browser = new OidcBrowser(url, user);
    const first = await authorizationRequest(config, OFFLINE);
    const back = await browser.authorize(first.address, name);
    const tokens = await client.authorizationCodeGrant(config, back, first.checks);
    const { address, checks } = await authorizationRequest(config);
    const code = await browser.authorize(address, name);
    const redeem = () => client.authorizationCodeGrant(config, code, checks);
    return new OidcSession(config, user, browser, tokens, redeem);
  }

  /** The error of a request that must not show a page; `null` if the browser has a session. */
  async silentError(): Promise<string | null> {
    const { address } = await authorizationRequest(this.config, { prompt: 'none' });
    const { url } = await this.browser.open(String(address));
    return new URL(url).searchParams.get('error');
  }

  /** Fails unless session, code and tokens are over. */
  async expectOver(): Promise<void> {
    const { config, tokens, redeem } = this;
    const { sub = '' } = tokens.claims() ?? {};
    const refreshed = () => client.refreshTokenGrant(config, String(tokens.refresh_token));
    await expect(client.fetchUserInfo(config, tokens.access_token, sub)).rejects.toThrow();
    await expect(refreshed()).rejects.toThrow();
    await expect(redeem()).rejects.toThrow();
    expect(await this.silentError()).toBe('login_required');
  }
}
