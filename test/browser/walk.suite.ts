import { AuditTrail } from '../../src/audit/audit-trail.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { adminClient } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, barriersOf, overflowOf, type Opened } from './support/admin-pages.js';

/** Markup, attributes, templates, directions. */
const HOSTILE = [
  `<script>document.title='owned'</script>`,
  `"><img src=x onerror=document.title='owned'>`,
  `' autofocus onfocus=document.title='owned' x='`,
  `</bdi></td></table><svg onload=document.title='owned'>`,
  `{{constructor.constructor('return process')()}}`,
  `{{#with this}}{{> ../../etc/passwd}}{{/with}}`,
  `javascript:document.title='owned'`,
  'ada\u202Egnp.exe\u200B',
];
const EVIL = HOSTILE[1] ?? '';

const PAGES = [
  '/',
  '/userapi',
  '/userapi?filter=nobody-has-this-name',
  '/userapi/user?rp=localhost&name=ada',
  `/userapi/user?rp=localhost&name=${encodeURIComponent(EVIL)}`,
  '/userapi/explain?at=AT',
  '/userapi/deletelistusers?rp=localhost',
  '/userapi/audit',
  '/userapi/invoice',
  '/userapi/invoices',
  '/status',
  '/getversion',
  '/demo',
];

describe('every console page', () => {
  let server: TestServer;
  let admin: AdminBrowser;
  let now: string;

  beforeAll(async () => {
    admin = await openFurnished();
    ({ server } = admin);
    now = new Date(server.clock.now()).toISOString().slice(0, 16);
  });
  afterAll(() => admin.close());

  it.each(PAGES)(
    '%s has no axe finding, light and dark, shows markup in names as text and fits 360 px',
    async (path) => holdsUp(await admin.open(path.replace('AT', now))),
  );

  it('isolates names and writes out invisible characters', async () => {
    const { page } = await admin.open('/userapi?filter=ada');
    const names = await page.locator('tbody th bdi').allTextContents();
    expect(names).toEqual([EVIL, 'ada', 'ada‹U+202E›gnp.exe‹U+200B›']);
    await page.close();
  });

  it('ignores parameters of the template engine in the address', async () => {
    const { page } = await admin.open(
      '/userapi?layout=error&cache=1&settings[views]=/etc&_locals[title]=owned',
    );
    expect(await page.locator('h1').textContent()).toBe('Users');
    await page.close();
  });

  it('every console page has no target smaller than 24 px (WCAG 2.2 §2.5.8)', async () => {
    for (const path of ['/', '/userapi', '/userapi/user?rp=localhost&name=ada']) {
      const { page } = await admin.open(path);
      const small = await page.evaluate<string[]>(`
        [...document.querySelectorAll('button, summary, select, .tick label, nav a')]
          .filter((node) => node.checkVisibility())
          .filter((node) => Math.min(node.offsetWidth, node.offsetHeight) < 24)
          .map((node) => node.outerHTML.slice(0, 100))`);
      expect(small).toEqual([]);
      await page.close();
    }
  });

  it('finds a user from any page by the keyboard alone', async () => {
    const { page } = await admin.open('/userapi/audit');
    await page.keyboard.press('Control+k');
    // At once: single letters could show matches of their beginning first.
    await page.keyboard.insertText('ada');
    await page.locator('.matches a').first().waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await overflowOf(page)).toBe(0);
    const { x, width } = (await page.locator('.matches').boundingBox()) ?? { x: -1, width: 0 };
    expect([x >= 0, x + width <= 390]).toEqual([true, true]);
    await page.keyboard.press('ArrowDown');
    await Promise.all([page.waitForURL(/\/userapi\/user\?name=ada/), page.keyboard.press('Enter')]);
    await page.keyboard.press('/');
    await page.keyboard.insertText('recently');
    await page.locator('.matches a').first().waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('.matches').isVisible()).toBe(false);
    await page.keyboard.insertText(' del');
    await page.locator('.matches a').first().waitFor();
    await Promise.all([page.waitForURL('**/userapi/deleted'), page.keyboard.press('Enter')]);
    await page.close();
  });

  it('focuses the search with "/" and Ctrl K, lists the shortcuts with "?", and shows local times', async () => {
    const { page } = await admin.open('/userapi', { timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
    await page.locator('h1').click();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.name')).toBe('q');
    await page.locator('#filter').focus();
    await page.keyboard.press('Control+k');
    expect(await page.evaluate('document.activeElement.name')).toBe('q');
    await page.locator('h1').click();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    expect(await dialog.textContent()).toContain('Search everything');
    await page.keyboard.press('Escape');
    expect(await dialog.count()).toBe(0);
    const time = page.locator('tbody time').last();
    const shown = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'Asia/Tokyo',
    }).format(new Date((await time.getAttribute('datetime')) ?? ''));
    expect(await time.textContent()).toBe(shown);
    await page.close();
  });

  it('the shortcuts of single keys can be switched off at the foot of a page, for those who dictate', async () => {
    const { page } = await admin.open('/userapi/audit');
    const focused = () => page.evaluate<string>('document.activeElement.name ?? ""');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await page.locator('h1').click();
    await page.keyboard.press('k');
    expect(await focused()).toBe('');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await dialog.getByRole('checkbox', { name: 'Use the single keys / and ?' }).uncheck();
    expect(await barriersOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.reload();
    await page.locator('h1').click();
    await page.keyboard.press('?');
    await page.keyboard.press('/');
    expect([await focused(), await dialog.count()]).toEqual(['', 0]);
    await page.keyboard.press('Control+k');
    expect(await focused()).toBe('q');
    await page.close();
  });
});

describe('the pages of whitelist and metadata', () => {
  let admin: AdminBrowser;
  beforeAll(async () => {
    admin = await AdminBrowser.start({ options: { aaguid: true, mds: ['upload'] } });
    const listed = { aaguid: 'ee882879-721c-4913-9775-3dfcce97072a', name: EVIL };
    const { status } = await adminClient(admin.server.url).post('/userapi/aaguid', listed);
    expect(status).toBe(200);
  });
  afterAll(() => admin.close());

  it('the pages of whitelist and metadata do not say that the metadata lacks a model before there is metadata', async () => {
    const page = '/userapi/aaguid/ee882879-721c-4913-9775-3dfcce97072a';
    const { text } = await adminClient(admin.server.url).get(page, { accept: 'text/html' });
    expect(text).toContain('This server has no metadata.');
  });

  it.each(['/userapi/aaguid', '/userapi/mds'])(
    '%s has no axe finding, light and dark; shows hostile text as text; fits 360 px',
    async (path) => holdsUp(await admin.open(path)),
  );
});

async function holdsUp({ page, complaints }: Opened): Promise<void> {
  expect(await page.locator('main h1').count()).toBe(1);
  expect(await page.title()).not.toBe('owned');
  expect(await page.locator('main :is(script, iframe, [onload], [onerror])').count()).toBe(0);
  expect(await page.locator('a[href^="javascript:" i]').count()).toBe(0);
  expect(await page.locator('main').textContent()).not.toMatch(/[\u202E\u200B]/);
  expect(complaints).toEqual([]);
  expect(await barriersOf(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await barriersOf(page, ['color-contrast'])).toEqual([]);
  await page.setViewportSize({ width: 360, height: 720 });
  expect(await overflowOf(page)).toBe(0);
  await page.close();
}

/** A console whose users, devices, tenants and audit rows have hostile names. */
async function openFurnished(): Promise<AdminBrowser> {
  const users = HOSTILE.map((username) => ({ username, devices: HOSTILE }));
  const opened = await AdminBrowser.start({ users });
  const { server } = opened;
  await server.addRelyingParty('shop', { domain: 'shop.example', name: `Shop ${EVIL}` });
  const ada = new FidoClient(server.url);
  const device = { name: EVIL, note: HOSTILE.join() };
  const registered = await ada.register('ada', { displayName: EVIL, keypair: device });
  expect(registered.status).toBe(200);
  await ada.signIn('ada');
  await Promise.all(HOSTILE.map((name) => ada.beginAuthentication(name)));
  await server.get(RefusalLog).flush();
  await server.get(AuditTrail).append({
    account: EVIL,
    role: 'admin',
    address: '192.0.2.1',
    action: 'user.delete',
    target: EVIL,
    result: 'ok',
    requestId: 'r1',
  });
  return opened;
}
