import { Balancer } from '../support/balancer.js';
import { REDIS_URL, type TestDatabase } from '../support/databases.js';
import { addMethod, formsIn, sendFromEntra } from '../support/entra/entra-server.js';
import { EntraTenant, type ExternalMethod } from '../support/entra/entra-tenant.js';
import { Microsoft } from '../support/entra/microsoft.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { readCount } from '../support/read-rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess } from '../support/server-process.js';

/** More messages than a result call sends to one of its stores. */
const MAX_MESSAGES = 60;

/** What a browser does, one after the other. */
const STEPS = ['the request of Entra', 'the page', 'the begin call', 'the result call'] as const;

describeWith('MariaDB', 'Redis')('an instance killed in a sign-in for Entra ID', () => {
  let database: TestDatabase;
  let contoso: EntraTenant;
  let microsoft: Microsoft;
  let proxies: { readonly MariaDB: FaultyProxy; readonly Redis: FaultyProxy };
  /** Reaches its stores through the proxies. */
  let doomed: ServerProcess;
  let other: ServerProcess;
  /** All requests go to the only one in this list. */
  const serving: ServerProcess[] = [];
  const balancer = new Balancer(serving);
  let method: ExternalMethod;

  beforeAll(async () => {
    database = await createServerDatabase('MariaDB');
    contoso = await EntraTenant.create();
    microsoft = new Microsoft(contoso);
    await microsoft.start();
    const redis = `${REDIS_URL}`;
    proxies = {
      MariaDB: await FaultyProxy.before(database.url),
      Redis: await FaultyProxy.before(redis),
    };
    await balancer.start();
    const instance = (db: string, sessions: string) =>
      new ServerProcess(
        ['--issuer', balancer.url, '--entra', 'on', '--db', db, '--sessions', sessions],
        microsoft.env,
      );
    doomed = instance(proxies.MariaDB.urlOf(database.url), proxies.Redis.urlOf(redis));
    other = instance(database.url, redis);
    await other.start();
    serving[0] = other;
    method = await addMethod(balancer, contoso, { userClaim: 'preferred_username' });
  });
  afterAll(async () => {
    await doomed.remove();
    await other.remove();
    balancer.stop();
    await Promise.all([proxies.MariaDB.close(), proxies.Redis.close()]);
    microsoft.stop();
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

  const requestFor = async (name: string) =>
    contoso.request(method.clientId, await contoso.hint(name));
  const browserOf = async (name: string) =>
    new OidcBrowser(balancer.url, await FidoClient.registered(balancer.url, name));
  const judge = (request: URLSearchParams, page: string, answer: string) => {
    const { idToken } = JSON.parse(answer) as { idToken: string };
    const [form] = formsIn(page);
    return contoso.judge(method, request, { ...form?.fields, id_token: idToken });
  };
  /** A whole sign-in for a new hint. */
  const signIn = async (browser: OidcBrowser, name: string) => {
    const request = await requestFor(name);
    const { url, page } = await sendFromEntra(browser, method, request);
    const { text } = await browser.complete(url, await browser.assertionOf(name));
    return judge(request, page.text, text);
  };
  const signInsOf = (name: string) =>
    readCount(database.url, `events WHERE kind = 'authentication' AND username = '${name}'`);

  it.each(STEPS)('loses no sign-in if it ends after %s', async (last) => {
    const killAfter = async (step: (typeof STEPS)[number]) => step === last && kill();
    const name = last.replaceAll(' ', '-');
    const browser = await browserOf(name);
    const request = await requestFor(name);
    const posted = await browser.send(`${method.issuer}/authorize`, {
      method: 'POST',
      body: request,
    });
    await killAfter('the request of Entra');
    const address = `${balancer.url}${posted.headers.get('location')}`;
    const page = await browser.send(address);
    await killAfter('the page');
    const assertion = await browser.assertionOf(name);
    await killAfter('the begin call');
    const { text } = await browser.complete(address, assertion);
    await killAfter('the result call');
    expect(await judge(request, page.text, text)).toBe('accepted');
    if (last !== 'the result call') await kill();
    const late = await browser.complete(address, await browser.assertionOf(name));
    const again = await sendFromEntra(browser, method, request);
    expect([late.status, again.page.status]).toEqual([408, 408]);
    expect(await signInsOf(name)).toBe(1);
  });

  it.each(['MariaDB', 'Redis'] as const)(
    'answers a hint and a challenge at most once wherever it ends between two messages to %s',
    async (store) => {
      const proxy = proxies[store];
      for (let passed = 0; ; passed += 1) {
        expect(passed).toBeLessThan(MAX_MESSAGES);
        const name = `${store}-${passed}`;
        const browser = await browserOf(name);
        const request = await requestFor(name);
        const { url, page } = await sendFromEntra(browser, method, request);
        const assertion = await browser.assertionOf(name);
        const held = proxy.holdAfter(passed);
        const sent = browser.complete(url, assertion);
        await Promise.race([held, sent]);
        await doomed.end('SIGKILL');
        const answer = await sent;
        serving[0] = other;
        proxy.revive();

        const repeated = await browser.complete(url, assertion);
        expect(await signInsOf(name)).toBeLessThanOrEqual(1);
        const answers = [answer, repeated].filter(({ status }) => status === 200);
        expect(answers.length).toBeLessThanOrEqual(1);
        const again = await sendFromEntra(browser, method, request);
        if (answers[0]) {
          expect(await judge(request, page.text, answers[0].text)).toBe('accepted');
          expect(await signInsOf(name)).toBe(1);
          expect(again.page.status).toBe(408);
        }
        expect(await signIn(browser, name)).toBe('accepted');
        if (answer.status === 200) break;
        await doomed.start();
        serving[0] = doomed;
      }
    },
  );
});
