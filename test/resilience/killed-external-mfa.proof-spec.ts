import { addMethod, formsIn, sendFromEntra, serveTenants } from '../support/entra/entra-server.js';
import { EntraTenant, type ExternalMethod } from '../support/entra/entra-tenant.js';
import { Microsoft } from '../support/entra/microsoft.js';
import { FailoverPair } from '../support/failover-pair.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { readCount } from '../support/read-rows.js';

/** More messages than a result call sends to one of its stores. */
const MAX_MESSAGES = 60;

/** What a browser does, one after the other. */
const STEPS = ['the request of Entra', 'the page', 'the begin call', 'the result call'] as const;

describeWith('MariaDB', 'Redis')('an instance killed in a sign-in for Entra ID', () => {
  let pair: FailoverPair;
  let contoso: EntraTenant;
  let microsoft: Microsoft;
  let method: ExternalMethod;

  beforeAll(async () => {
    contoso = await EntraTenant.create();
    microsoft = new Microsoft(contoso);
    await microsoft.start();
    pair = await FailoverPair.start('entra', microsoft.env);
    method = await addMethod(pair, contoso, { userClaim: 'preferred_username' });
  });
  afterAll(async () => {
    await pair.remove();
    microsoft.stop();
  });

  const startFirst = async () => serveTenants(await pair.startFirst(), [contoso]);

  async function kill(): Promise<void> {
    await pair.killFirst();
    pair.serveBySecond();
  }

  const requestFor = async (name: string) =>
    contoso.request(method.clientId, await contoso.hint(name));
  const browserOf = async (name: string) =>
    new OidcBrowser(pair.url, await FidoClient.registered(pair.url, name));
  const signInsOf = (name: string) =>
    readCount(pair.database.url, `events WHERE kind = 'authentication' AND username = '${name}'`);

  it.each(STEPS)('loses no sign-in if it ends after %s', async (last) => {
    await startFirst();
    const killAfter = async (step: (typeof STEPS)[number]) => step === last && kill();
    const name = last.replaceAll(' ', '-');
    const browser = await browserOf(name);
    const request = await requestFor(name);
    const posted = await browser.send(`${method.issuer}/authorize`, {
      method: 'POST',
      body: request,
    });
    await killAfter('the request of Entra');
    const address = `${pair.url}${posted.headers.get('location')}`;
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
      const proxy = pair.proxies[store];
      for (let passed = 0; ; passed += 1) {
        expect(passed).toBeLessThan(MAX_MESSAGES);
        await startFirst();
        const name = `${store}-${passed}`;
        const browser = await browserOf(name);
        const request = await requestFor(name);
        const { url, page } = await sendFromEntra(browser, method, request);
        const assertion = await browser.assertionOf(name);
        const held = proxy.holdAfter(passed);
        const sent = browser.complete(url, assertion);
        await Promise.race([held, sent]);
        await pair.killFirst();
        const answer = await sent;
        pair.serveBySecond();

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
      }
    },
  );

  /** A whole sign-in for a new hint. */
  async function signIn(browser: OidcBrowser, name: string) {
    const request = await requestFor(name);
    const { url, page } = await sendFromEntra(browser, method, request);
    const { text } = await browser.complete(url, await browser.assertionOf(name));
    return judge(request, page.text, text);
  }

  function judge(request: URLSearchParams, page: string, answer: string) {
    const { idToken } = JSON.parse(answer) as { idToken: string };
    const [form] = formsIn(page);
    return contoso.judge(method, request, { ...form?.fields, id_token: idToken });
  }
});
