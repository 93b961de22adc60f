import * as client from 'openid-client';
import { FailoverPair } from '../support/failover-pair.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { addClient, authorizationRequest, discover } from '../support/oidc-issuer.js';

const USER = 'alice';
/** More messages than an exchange sends to the database. */
const MAX_MESSAGES = 60;

/** What a browser and an application do, one after the other. */
const STEPS = [
  'the authorization request',
  'the begin call',
  'the result call',
  'the authorization answer',
] as const;

describeWith('MariaDB', 'Redis')('an instance killed in a sign-in by OpenID Connect', () => {
  let pair: FailoverPair;
  let user: FidoClient;
  let config: client.Configuration;

  beforeAll(async () => {
    pair = await FailoverPair.start('oidc');
    user = new FidoClient(pair.url);
    await user.register(USER);
    config = await discover(await addClient(pair));
  });
  afterAll(() => pair.remove());

  async function kill(): Promise<void> {
    await pair.killFirst();
    pair.serveBySecond();
  }

  /** Signs in with a new browser up to the code. */
  async function beginAt(browser: OidcBrowser) {
    const { address, checks } = await authorizationRequest(config);
    const back = await browser.authorize(address, USER);
    return () => client.authorizationCodeGrant(config, back, checks);
  }

  it.each(STEPS)('loses no sign-in if it ends after %s', async (last) => {
    await pair.startFirst();
    const killAfter = async (step: (typeof STEPS)[number]) => step === last && kill();
    const browser = new OidcBrowser(pair.url, user);
    const { address, checks } = await authorizationRequest(config);
    const { url: page } = await browser.open(String(address));
    await killAfter('the authorization request');
    const assertion = await browser.assertionOf(USER);
    await killAfter('the begin call');
    const { text } = await browser.complete(page, assertion);
    await killAfter('the result call');
    const { returnTo } = JSON.parse(text) as { returnTo: string };
    const back = new URL((await browser.open(returnTo)).url);
    await killAfter('the authorization answer');
    const tokens = await client.authorizationCodeGrant(config, back, checks);
    const { sub = '' } = tokens.claims() ?? {};
    expect(await client.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({
      preferred_username: USER,
    });
  });

  it('redeems a code at most once wherever it ends in the exchange, and the session remains', async () => {
    const redeemedLater: boolean[] = [];
    for (let passed = 0; passed < MAX_MESSAGES; passed += 1) {
      await pair.startFirst();
      const browser = new OidcBrowser(pair.url, user);
      const redeem = await beginAt(browser);
      const held = pair.proxies.MariaDB.holdAfter(passed);
      const answered = isFulfilled(redeem());
      await Promise.race([held, answered]);
      await pair.killFirst();
      // Held may be a job's message, and the exchange may not have begun: it must not begin at the other instance.
      const isRedeemed = await answered;
      pair.serveBySecond();
      const isRedeemedLater = await isFulfilled(redeem());
      await expect(redeem()).rejects.toThrow();
      if (isRedeemed) {
        expect(isRedeemedLater).toBe(false);
        break;
      }
      redeemedLater.push(isRedeemedLater);
      const { address, checks } = await authorizationRequest(config, { prompt: 'none' });
      const back = new URL((await browser.open(String(address))).url);
      await client.authorizationCodeGrant(config, back, checks);
    }
    // The last message of the exchange uses the code up; a job's message after it may be the one that is held.
    expect(redeemedLater[0]).toBe(true);
    expect(redeemedLater.length).toBeLessThan(MAX_MESSAGES);
  });
});

const isFulfilled = (answer: Promise<unknown>): Promise<boolean> =>
  answer.then(
    () => true,
    () => false,
  );
