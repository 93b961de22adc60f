import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ADMIN, TestServer } from '../support/test-server.js';
import { adminClient } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf } from '../support/rows.js';
import { openBrowser } from './support/browser.js';
import { OtherSite } from './support/other-site.js';

/** What an attacker would like the browser of an administrator to ask for. */
const CHANGES = [
  '/userapi/manageusers?type=deluser&filter=*&confirm=all',
  '/userapi/invoice?invoicelog=yes&date=2024-01-31',
] as const;

/**
 * The browser holds the administrator's password and sends it wherever the service asks for it. Its
 * pages are reached over HTTP on the own machine, which browsers trust and tell where a request
 * comes from, and under a name of the network, where they tell nothing.
 */
describe.each(['localhost', 'fido.example'])('what browsers send to %s for others', (host) => {
  let server: TestServer;
  let site: OtherSite;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let before: string;

  beforeAll(async () => {
    [server, site, browser] = await Promise.all([
      TestServer.start({ options: { rateAddress: 1e9 } }),
      OtherSite.open(),
      openBrowser('--host-resolver-rules=MAP *.example 127.0.0.1'),
    ]);
    for (const username of ['alice', 'bob']) await new FidoClient(server.url).register(username);
    before = await state();
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all([server.stop(), site.close()]);
  });
  beforeEach(async () => {
    const httpCredentials = { username: ADMIN.user, password: ADMIN.password };
    context = await browser.newContext({ httpCredentials });
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const state = async () =>
    `${await server.snapshot()} ${await countOf(server, 'invoices')} invoices`;
  const addressOf = (path: string) => server.url.replace('localhost', host) + path;
  it.each([301, 302, 303, 307, 308])(
    'E0043R: a foreign address that is typed and answers %i changes nothing',
    async (status) => {
      for (const path of CHANGES) {
        const answer = await page.goto(site.redirect('127.0.0.1', addressOf(path), status));
        expect(answer?.status()).toBe(403);
        expect(await page.textContent('main')).toMatch(/E0043R/);
        expect(await state()).toBe(before);
      }
    },
  );

  it('E0043R: nor does the address itself when it is typed; the page says what to do', async () => {
    for (const path of CHANGES) {
      const answer = await page.goto(addressOf(path));
      expect(answer?.status()).toBe(403);
      expect(await page.textContent('main')).toMatch(/pages under \/userapi, or send .* by POST/);
      expect(await state()).toBe(before);
    }
  });

  it('E0043R: nor does HEAD, even of an own page', async () => {
    await page.goto(addressOf('/userapi'));
    for (const path of CHANGES) {
      const asked = `fetch(${JSON.stringify(path)}, { method: 'HEAD' }).then(({ status }) => status)`;
      expect(await page.evaluate<number>(asked)).toBe(403);
    }
    expect(await state()).toBe(before);
  });

  it('what only reads can still be typed and linked', async () => {
    for (const path of ['/userapi/manageusers?type=list', '/users', '/userapi/invoice']) {
      expect((await page.goto(addressOf(path)))?.status()).toBe(200);
    }
  });
});

describe('what may change by GET', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), openBrowser()]);
    await new FidoClient(server.url).register('alice');
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it('a script of an own page, and programs', async () => {
    const path = '/userapi/manageusers?type=disableall&filter=alice';
    const httpCredentials = { username: ADMIN.user, password: ADMIN.password };
    const page = await browser.newPage({ httpCredentials });
    await page.goto(`${server.url}/userapi`);
    const asked = `fetch(${JSON.stringify(path)}).then((answer) => answer.json())`;
    expect(await page.evaluate(asked)).toMatchObject({ status: 'ok', credentials: 1 });
    expect(await adminClient(server.url).get(path)).toMatchObject({ status: 200 });
  });
});
