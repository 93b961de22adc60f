import { basic } from '../support/client.js';
import { sendRaw } from '../support/browser-client.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const CHROME = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
/** The default of `HttpURLConnection`. */
const JAVA = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36' };
const MODEL = '/userapi/aaguid/5a4c0000-0000-4000-8000-0000000000ff';

/** The paths that answer JSON and a page. */
const BOTH = ['invoice', 'invoices', 'invoiceest', 'audit', 'mds', 'aaguid']
  .map((name) => `/userapi/${name}`)
  .concat(MODEL);

describe('a path that answers JSON and a page', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ options: { mds: ['upload'], aaguid: true } });
  });
  afterAll(() => server.stop());

  const typeOf = async (path: string, headers: Record<string, string>) => {
    const all = { ...basic(ADMIN.user, ADMIN.password), ...headers };
    const { status, header } = await sendRaw(server.url + path, { headers: all });
    expect(status).toBeLessThan(500);
    return header('content-type')?.split(';', 1)[0];
  };

  it.each([
    ['of an opened page', { accept: CHROME, 'sec-fetch-mode': 'navigate', ...BROWSER }],
    ['of an opened page, from no known browser', { accept: CHROME, 'sec-fetch-mode': 'navigate' }],
    ['of a browser without HTTPS, which sends no Sec-Fetch-…', { accept: CHROME, ...BROWSER }],
  ])('a page answers the request %s', async (_, headers) => {
    for (const path of BOTH)
      expect([path, await typeOf(path, headers)]).toEqual([path, 'text/html']);
  });

  it.each([
    ['with the default Accept of Java', { accept: JAVA, 'user-agent': 'Java/21.0.4' }],
    ['with the default Accept of Java, and no agent', { accept: JAVA }],
    ['of curl that prefers HTML', { accept: 'text/html', 'user-agent': 'curl/8.5.0' }],
    ['of a script of a page', { accept: CHROME, 'sec-fetch-mode': 'cors', ...BROWSER }],
    [
      'of a browser that names no mode',
      { accept: CHROME, 'sec-fetch-site': 'same-origin', ...BROWSER },
    ],
    ['without Accept', {}],
    ['of a browser that accepts anything', { accept: '*/*', ...BROWSER }],
    ['that prefers HTML to CSV', { accept: 'text/html, text/csv;q=0.5' }],
  ])('JSON answers the request %s', async (_, headers) => {
    for (const path of BOTH) {
      expect([path, await typeOf(path, headers)]).toEqual([path, 'application/json']);
    }
  });

  it('CSV and XML by Accept remain for every caller', async () => {
    expect(await typeOf('/userapi/audit', { accept: 'text/csv' })).toBe('text/csv');
    expect(await typeOf('/userapi/audit', { accept: 'Text/CSV', ...BROWSER })).toBe('text/csv');
  });

  it('a script gets the page of an address that names it', async () => {
    for (const path of BOTH) {
      const type = await typeOf(`${path}?format=html`, { 'sec-fetch-mode': 'cors', ...BROWSER });
      expect([path, type]).toEqual([path, 'text/html']);
    }
  });

  it('a refusal there is JSON for programs and a page for a browser', async () => {
    const wrong = ['/userapi/invoice?date=x', '/userapi/manageusers?type=x', '/userapi/none'];
    for (const path of wrong) {
      expect(await typeOf(path, { accept: JAVA })).toBe('application/json');
      expect(await typeOf(path, { accept: CHROME, ...BROWSER })).toBe('text/html');
    }
  });

  it('paths without a JSON form are HTML for every caller', async () => {
    for (const path of ['/', '/status', '/getversion', '/userapi', '/userapi/deletelistusers']) {
      expect([path, await typeOf(path, { accept: JAVA })]).toEqual([path, 'text/html']);
      expect([path, await typeOf(path, {})]).toEqual([path, 'text/html']);
    }
    // Refusals of these paths are pages for callers that prefer HTML, as before.
    expect(await typeOf('/userapi/user?name=nobody', { accept: 'text/html' })).toBe('text/html');
    const stranger = await sendRaw(`${server.url}/userapi`, { headers: { accept: 'text/html' } });
    expect([stranger.status, stranger.header('content-type')?.split(';', 1)[0]]).toEqual([
      401,
      'text/html',
    ]);
  });

  it.each([
    '/tenants/nobody',
    '/tenants/default/nobody.example',
    '/console/accounts/nobody',
    '/userapi/invoices/R1-4711',
    '/adoption?rp=nobody.example',
  ])('the page that finds nothing at %s names what was sought', async (path) => {
    const headers = { ...basic(ADMIN.user, ADMIN.password), accept: CHROME, ...BROWSER };
    const { status, text } = await sendRaw(server.url + path, { headers });
    const sought = /[^/=]+$/.exec(path)?.[0];
    expect([path, status]).toEqual([path, 404]);
    expect(text.replaceAll('&#x2F;', '/')).toMatch(
      new RegExp(`<code>${sought}</code>|“${sought}”`),
    );
  });
});
