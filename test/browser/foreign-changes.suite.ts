import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ADMIN, TestServer } from '../support/test-server.js';
import { adminClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf } from '../support/rows.js';
import { openOwnBrowser } from './support/browser.js';
import { OtherSite } from './support/other-site.js';

/**
 * The browser holds the administrator's password and sends it wherever the service asks for it. Its pages are opened
 * over HTTP on the same machine, where browsers say which site a request comes from, and under a name of the network,
 * where they say nothing.
 */
let browser: Browser;
beforeAll(async () => {
  browser = await openOwnBrowser('--host-resolver-rules=MAP *.example 127.0.0.1');
});
afterAll(() => browser.close());

describe.each(['localhost', 'fido.example'])(
  'requests that browsers send to %s for other sites',
  (host) => {
    let server: TestServer;
    let site: OtherSite;
    let context: BrowserContext;
    let page: Page;
    let before: string;
    beforeAll(async () => {
      [server, site] = await Promise.all([
        TestServer.start({ options: { console: 'basic', rateAddress: 1e9 } }),
        OtherSite.open(),
      ]);
      for (const username of ['alice', 'bob']) await new FidoClient(server.url).register(username);
      before = await state();
    });
    afterAll(() => Promise.all([server.stop(), site.close()]));
    beforeEach(async () => {
      const httpCredentials = { username: ADMIN.user, password: ADMIN.password };
      context = await browser.newContext({ httpCredentials });
      page = await context.newPage();
    });
    afterEach(() => context.close());

    describe.each([
      ['another site', '127.0.0.1'],
      ['another port of the same host', host],
    ])('a page of %s', (_, foreign) => {
      it.each(navigations())(
        'changes nothing by %s, even after a redirect (E0043R)',
        (_name, content) => both(content, 'E0043R'),
      );

      it.each(loads())('changes nothing by %s, even after a redirect (E0043R)', (_name, content) =>
        both(content, 'E0043R', ...(foreign === host ? [] : ['E0042R'])),
      );

      it('changes nothing by a prefetch', () =>
        visit(foreign, PREFETCH(addressOf(DELETE_ALL)), 'E0042R', 'E0043R'));

      async function both(content: (target: string) => string, ...codes: string[]) {
        await visit(foreign, content(addressOf(DELETE_ALL)), ...codes);
        await visit(foreign, content(site.redirect(foreign, addressOf(ISSUE))), ...codes);
      }
    });

    it.each([301, 302, 303, 307, 308])(
      'changes nothing after a typed address that answers %i (E0043R)',
      async (status) => {
        for (const path of CHANGES) {
          const answer = await page.goto(site.redirect('127.0.0.1', addressOf(path), status));
          expect(answer?.status()).toBe(403);
          expect(await page.textContent('main')).toMatch(/E0043R/);
          expect(await state()).toBe(before);
        }
      },
    );

    it('changes nothing by a typed address, whose page explains what to do (E0043R)', async () => {
      for (const path of CHANGES) {
        const answer = await page.goto(addressOf(path));
        expect(answer?.status()).toBe(403);
        expect(await page.textContent('main')).toMatch(/pages under \/userapi, or send .* by POST/);
        expect(await state()).toBe(before);
      }
    });

    it('changes nothing by HEAD, even from the server’s own page (E0043R)', async () => {
      await page.goto(addressOf('/userapi'));
      for (const path of CHANGES) {
        const asked = `fetch(${JSON.stringify(path)}, { method: 'HEAD' }).then(({ status }) => status)`;
        expect(await page.evaluate<number>(asked)).toBe(403);
      }
      expect(await state()).toBe(before);
    });

    it('an address that was typed or linked may read', async () => {
      for (const path of ['/userapi/manageusers?type=list', '/users', '/userapi/invoice']) {
        expect((await page.goto(addressOf(path)))?.status()).toBe(200);
      }
    });

    async function state() {
      return `${await server.snapshot()} ${await countOf(server, 'invoices')} invoices`;
    }

    function refusals(...codes: string[]) {
      return server.logged.filter(({ code }) => codes.includes(`${code}`)).length;
    }

    /** Opens the foreign page and waits until the service has refused what it caused. */
    async function visit(foreign: string, content: string, ...codes: string[]): Promise<void> {
      const known = refusals(...codes);
      site.content = content;
      // The page may navigate away before it has loaded.
      void page.goto(site.address(foreign)).catch(() => undefined);
      await eventually(() => expect(refusals(...codes)).toBeGreaterThan(known));
      expect(await state()).toBe(before);
    }

    function addressOf(path: string) {
      return server.url.replace('localhost', host) + path;
    }
  },
);

describe('a change by GET', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ options: { console: 'basic' } });
    await new FidoClient(server.url).register('alice');
  });
  afterAll(() => server.stop());

  it('are allowed to scripts of own pages and to programs', async () => {
    const path = '/userapi/manageusers?type=disableall&filter=alice';
    const httpCredentials = { username: ADMIN.user, password: ADMIN.password };
    const page = await browser.newPage({ httpCredentials });
    await page.goto(`${server.url}/userapi`);
    const asked = `fetch(${JSON.stringify(path)}).then((answer) => answer.json())`;
    expect(await page.evaluate(asked)).toMatchObject({ status: 'ok', credentials: 1 });
    expect(await adminClient(server.url).get(path)).toMatchObject({ status: 200 });
    // Its connections would keep the server from stopping.
    await page.close();
  });
});

/** A form that sends itself; with GET, the browser builds the query only from the fields. */
function form(target: string, attributes = '') {
  const fields = [...new URL(target).searchParams].map(
    ([name, value]) => `<input name="${name}" value="${value}">`,
  );
  return `<form action="${target}" ${attributes}>${fields.join('')}</form>
    <script>document.forms[0].submit()</script>`;
}

function post(type: string) {
  return (target: string) => form(target, `method="post" enctype="${type}"`);
}

function PREFETCH(target: string) {
  return `<link rel="prefetch" href="${target}">`;
}

/** Content of a foreign page that navigates the browser, which sends the password if the server asks for it. */
function navigations(): readonly (readonly [string, (target: string) => string])[] {
  return [
    ['a form', form],
    ['a form by POST', post('application/x-www-form-urlencoded')],
    ['a form of plain text', post('text/plain')],
    ['a form of parts', post('multipart/form-data')],
    ['a new address', (target) => `<script>location.href = "${target}"</script>`],
    ['a refresh', (target) => `<meta http-equiv="refresh" content="0;url=${target}">`],
  ];
}

/** Content that the browser loads for a foreign page: with the password only if the page has the same host. */
function loads(): readonly (readonly [string, (target: string) => string])[] {
  return [
    ['an image', (target) => `<img src="${target}">`],
    ['a script', (target) => `<script src="${target}"></script>`],
    ['a style sheet', (target) => `<link rel="stylesheet" href="${target}">`],
    ['a frame', (target) => `<iframe src="${target}"></iframe>`],
    [
      'fetch',
      (target) =>
        `<script>void fetch("${target}", { mode: "no-cors", credentials: "include" })</script>`,
    ],
    [
      'XMLHttpRequest',
      (target) =>
        `<script>const ask = new XMLHttpRequest();
        ask.open("GET", "${target}"); ask.withCredentials = true; ask.send()</script>`,
    ],
  ];
}

/** Requests that an attacker would like an administrator's browser to send. */
const CHANGES = [
  '/userapi/manageusers?type=deluser&filter=*&confirm=all',
  '/userapi/invoice?invoicelog=yes',
] as const;

const [DELETE_ALL, ISSUE] = CHANGES;
