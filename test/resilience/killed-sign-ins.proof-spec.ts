import * as client from 'openid-client';
import { Balancer } from '../support/balancer.js';
import { REDIS_URL, type TestDatabase } from '../support/databases.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { addClient, authorizationRequest, discover } from '../support/oidc-issuer.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess } from '../support/server-process.js';

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
  let database: TestDatabase;
  let proxy: FaultyProxy;
  /** Reaches its database through the proxy. */
  let doomed: ServerProcess;
  let other: ServerProcess;
  /** All requests go to the only one in this list. */
  const serving: ServerProcess[] = [];
  const balancer = new Balancer(serving);
  let user: FidoClient;
  let config: client.Configuration;

  beforeAll(async () => {
    database = await createServerDatabase('MariaDB');
    proxy = await FaultyProxy.before(database.url);
    await balancer.start();
    const options = ['--sessions', `${REDIS_URL}`, '--issuer', balancer.url, '--oidc', 'on'];
    doomed = new ServerProcess([...options, '--db', proxy.urlOf(database.url)]);
    other = new ServerProcess([...options, '--db', database.url]);
    await other.start();
    serving[0] = other;
    user = new FidoClient(balancer.url);
    await user.register(USER);
    config = await discover(await addClient(balancer));
  });
  afterAll(async () => {
    await doomed.remove();
    await other.remove();
    balancer.stop();
    await proxy.close();
    await database.remove();
  });
  beforeEach(async () => {
    await doomed.start();
    serving[0] = doomed;
  });

  async function kill(): Promise<void> {
    await doomed.end('SIGKILL');
    serving[0] = other;
  }

  /** Signs in with a new browser up to the code. */
  async function beginAt(browser: OidcBrowser) {
    const { address, checks } = await authorizationRequest(config);
    const back = await browser.authorize(address, USER);
    return () => client.authorizationCodeGrant(config, back, checks);
  }

  it.each(STEPS)('loses no sign-in if it ends after %s', async (last) => {
    const killAfter = async (step: (typeof STEPS)[number]) => step === last && kill();
    const browser = new OidcBrowser(balancer.url, user);
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
      const browser = new OidcBrowser(balancer.url, user);
      const redeem = await beginAt(browser);
      const held = proxy.holdAfter(passed);
      const answered = isFulfilled(redeem());
      await Promise.race([held, answered]);
      await doomed.end('SIGKILL');
      // Held may be a job's message, and the exchange may not have begun: it must not begin at the other instance.
      const isRedeemed = await answered;
      serving[0] = other;
      proxy.revive();
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
      await doomed.start();
      serving[0] = doomed;
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
