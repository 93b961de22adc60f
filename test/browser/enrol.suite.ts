import type { BrowserContextOptions, Page } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import { adminClient } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, barriersOf, overflowOf, pressAndLoad } from './support/admin-pages.js';
import { LIST_WAITS, VirtualAuthenticator } from './support/authenticator.js';
import { complaintsOf, type SuiteBrowser } from './support/browser.js';

const PHONE = { viewport: { width: 390, height: 844 } };
const DESKTOP = { viewport: { width: 1280, height: 900 } };

/** Reads the QR code of a page from the browser's pixels, as a scanner does. */
const PIXELS = `async () => {
  const image = document.querySelector('.qr');
  await image.decode();
  const context = new OffscreenCanvas(205, 205).getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, 205, 205);
  context.drawImage(image, 0, 0, 205, 205);
  return [...context.getImageData(0, 0, 205, 205).data].filter((_, n) => n % 4 === 0).join();
}`;

describe('an invitation in a browser', () => {
  let server: TestServer;
  let browser: SuiteBrowser;
  let admin: AdminBrowser;

  beforeAll(async () => {
    admin = await AdminBrowser.start({ options: { registration: 'ticket' } });
    ({ server, browser } = admin);
    await change({ colour: '#7c3aed', name: 'Acme' });
  });
  afterAll(() => admin.close());

  const outcome = (page: Page) => page.locator('#outcome strong').textContent();

  it.each([
    ['phone', 'anna', PHONE],
    ['desktop', 'bert', DESKTOP],
  ])('registers a key and a spare one from its link, on a %s', async (_, username, options) => {
    const { url } = await issue(username, { minKeys: 2 });
    const { page, complaints } = await follow(url, options);
    await page.getByLabel('User name').waitFor();
    expect(page.url()).not.toContain('#');
    expect(await page.title()).toBe('Set up your key · Acme');
    expect(await page.locator('nav').count()).toBe(0);
    expect(await overflowOf(page)).toBe(0);

    const phone = await VirtualAuthenticator.add(page);
    await page.getByLabel('User name').fill(username);
    await press(page, 'Make my key');
    await page.getByRole('heading', { name: 'And one for the drawer' }).waitFor();
    expect(await outcome(page)).toBe('Your key is set up');
    expect(await overflowOf(page)).toBe(0);

    const drawer = await VirtualAuthenticator.add(page, { transport: 'usb' });
    await press(page, 'Make one more key');
    await page.getByRole('heading', { name: 'You are all set' }).waitFor();
    expect(await outcome(page)).toBe('2 keys are set up');
    expect([await phone.keys(), await drawer.keys()]).toEqual([1, 1]);
    expect(complaints).toEqual([]);
    expect(await barriersOf(page)).toEqual([]);
    await page.context().close();
  });

  it('keeps its link after a reload, and the second key can be added later', async () => {
    const { url } = await issue('cleo', { minKeys: 2 });
    const { page } = await follow(url);
    await VirtualAuthenticator.add(page);
    await page.getByLabel('User name').fill('cleo');
    await press(page, 'Make my key');
    await press(page, 'Not now');
    await page.getByRole('heading', { name: 'You are all set' }).waitFor();
    await page.reload();
    await page.getByText('1 of 2 keys are set up').waitFor();
    await page.context().close();
  });

  it('the link to the content leaves the invitation’s code alone, also for a reload', async () => {
    const { page, complaints } = await follow((await issue('skipper')).url);
    await page.getByLabel('User name').waitFor();
    await page.getByText('Skip to content').press('Enter');
    await page.reload();
    await page.getByLabel('User name').waitFor();
    expect(await page.locator('#outcome').textContent()).toBe('');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('forgets what it said about a link once another one is opened in the same tab', async () => {
    const { url } = await issue('twice');
    const [address = '', code] = url.split('#');
    const { page, complaints } = await follow(`${address}#${'A'.repeat(22)}`);
    await page.getByText('This link leads nowhere here').waitFor();
    complaints.length = 0; // Of the 404.
    await page.goto(`${address}#${code}`);
    await page.getByLabel('User name').waitFor();
    expect(await page.locator('#outcome').textContent()).toBe('');
    await page.goto(`${address}#${'B'.repeat(22)}`);
    await page.getByText('This link leads nowhere here').waitFor();
    expect(await page.getByLabel('User name').isVisible()).toBe(false);
    await page.close();
  });

  it('goes on with the next key if another tab has made the one that it asked for', async () => {
    const { url } = await issue('tabs', { minKeys: 2 });
    const [{ page: one }, { page: other }] = [await follow(url), await follow(url)];
    for (const page of [one, other]) await page.getByLabel('User name').fill('tabs');
    await VirtualAuthenticator.add(one);
    await press(one, 'Make my key');
    await one.getByRole('heading', { name: 'And one for the drawer' }).waitFor();
    await press(other, 'Make my key');
    await other.getByText('1 of 2 keys are set up').waitFor();
    await other.getByRole('button', { name: 'Make one more key' }).waitFor();
    for (const page of [one, other]) await page.close();
  });

  it('says so if the service cannot be reached when its link is opened', async () => {
    const { url } = await issue('offline');
    const { page } = await follow(url);
    await page.getByLabel('User name').waitFor();
    await page.route('**/fidoapi/invitation', (route) => route.abort());
    await page.reload();
    await page.getByText('The service cannot be reached').waitFor();
    await page.close();
  });

  it('leaves the focus on the button of a step that was refused', async () => {
    const { page } = await follow((await issue('focus')).url);
    await page.getByLabel('User name').fill('fokus');
    await page.getByRole('button', { name: 'Make my key' }).press('Enter');
    await page.getByText('The link was not made for this name').waitFor();
    await page.locator('button:focus', { hasText: 'Make my key' }).waitFor();
    await page.close();
  });

  it('says after a reload that it is done, and leads on to the application', async () => {
    const { origin } = new URL(server.url);
    expect((await change({ origins: [origin, 'https://app.localhost'] })).status).toBe(200);
    const { url } = await issue('edda');
    const { page, complaints } = await follow(url);
    await VirtualAuthenticator.add(page);
    await page.getByLabel('User name').fill('edda');
    await press(page, 'Make my key');
    const onward = page.getByRole('button', { name: 'Continue to Acme' });
    for (const reload of [false, true]) {
      if (reload) await page.reload();
      await page.getByRole('heading', { name: 'You are all set' }).waitFor();
      expect(await outcome(page)).toBe('Your key is set up');
      expect(await onward.getAttribute('href')).toBe('https://app.localhost');
      expect(await barriersOf(page)).toEqual([]);
    }
    const again = await follow(url);
    await again.page.getByText('This link has done its work').waitFor();
    expect(complaints).toEqual([]);
    expect((await change({ origins: [origin] })).status).toBe(200);
    await page.context().close();
    await again.page.context().close();
  });

  it('an invitation is shown in the browser’s language or the chosen one on both pages', async () => {
    const { url } = await issue('dora', { minKeys: 2 });
    const { page, complaints } = await follow(url, { ...PHONE, locale: 'de-AT' });
    expect(await page.title()).toBe('Ihren Schlüssel einrichten · Acme');
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await VirtualAuthenticator.add(page);
    await page.getByLabel('Benutzername').fill('Dora');
    await press(page, 'Schlüssel erstellen');
    await page.getByText('Der Link gilt nicht für diesen Namen').waitFor();
    complaints.length = 0; // Of the 403.
    await page.getByLabel('Benutzername').fill('dora');
    await press(page, 'Schlüssel erstellen');
    await page.getByRole('heading', { name: 'Und einer für die Schublade' }).waitFor();
    expect(await outcome(page)).toBe('Ihr Schlüssel ist eingerichtet');
    expect(await overflowOf(page)).toBe(0);
    await press(page, 'Jetzt nicht');
    await page.addInitScript(LIST_WAITS);
    await page.getByRole('link', { name: 'Ihre Schlüssel ansehen' }).click();
    await page.getByLabel('Benutzername').fill('dora');
    await press(page, 'Anmelden');
    await page.getByRole('term').filter({ hasText: 'Zuletzt benutzt' }).waitFor();
    expect(await overflowOf(page)).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    await press(page, 'English');
    await page.getByRole('heading', { name: 'Your keys for Acme' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['used', 'This link has done its work'],
    ['expired', 'This link has expired'],
    ['revoked', 'This link was withdrawn'],
    ['unknown', 'This link leads nowhere here'],
    ['cut', 'Something is missing from this link'],
  ])('explains what to do if its link is %s', async (state, title) => {
    const username = `late-${state}`;
    const { url, id } = await issue(username, { ttl: 60 });
    const [page, code = ''] = url.split('#');
    const links: Record<string, string> = { unknown: `${page}#${'A'.repeat(22)}`, cut: `${page}` };
    if (state === 'used') await new FidoClient(server.url).register(username, { ticket: code });
    if (state === 'expired') server.clock.advance(61_000);
    if (state === 'revoked') {
      const headers = { 'x-servicefido-relyingparty': 'localhost' };
      const path = `/userapi/invitations/${id}`;
      await adminClient(server.url).send(path, { method: 'DELETE', headers });
    }
    const opened = await follow(links[state] ?? url);
    await opened.page.getByText(title).waitFor();
    expect(await opened.page.locator('#outcome p').textContent()).toMatch(/\w/);
    expect(await opened.page.getByRole('button', { name: 'Make my key' }).isVisible()).toBe(false);
    expect(await barriersOf(opened.page)).toEqual([]);
    await opened.page.context().close();
  });

  it('keeps its page after a wrong name and after a cancelled prompt', async () => {
    const { url } = await issue('dana');
    const { page } = await follow(url);
    await VirtualAuthenticator.add(page);
    await page.getByLabel('User name').fill('dan');
    await press(page, 'Make my key');
    await page.getByText('The link was not made for this name').waitFor();
    await page.getByLabel('User name').fill('dana');
    await press(page, 'Make my key');
    await page.getByRole('heading', { name: 'You are all set' }).waitFor();
    await page.context().close();
  });

  it.each([
    ['has as many keys as are allowed', 'You have as many keys as are allowed'],
    ['is suspended', 'Your account is suspended'],
  ])('tells a user who %s so, and not that the name is wrong', async (why, title) => {
    const username = why.replaceAll(' ', '-');
    const [, ticket] = (await issue(username)).url.split('#');
    await new FidoClient(server.url).register(username, { ticket });
    const suspension = { username, suspended: true, reason: 'lost', relyingParty: 'localhost' };
    if (why === 'is suspended') {
      await adminClient(server.url).post('/userapi/users/suspension', suspension);
    } else await change({ policy: { maxCredentials: 1 } });
    const { page } = await follow((await issue(username)).url);
    await VirtualAuthenticator.add(page);
    await page.getByLabel('User name').fill(username);
    await press(page, 'Make my key');
    expect(await outcome(page)).toBe(title);
    await change({ policy: {} });
    await page.context().close();
  });

  it('sends a user who registered after the link was made back to its sender', async () => {
    const [{ url }, other] = [await issue('newer'), await issue('newer')];
    await new FidoClient(server.url).register('newer', { ticket: other.url.split('#')[1] });
    const { page } = await follow(url);
    await page.getByLabel('User name').fill('newer');
    await press(page, 'Make my key');
    expect(await outcome(page)).toBe('The link is no longer for this name');
    await page.context().close();
  });

  it('says that its link has just made another key if it cannot look at the link again', async () => {
    const { url } = await issue('raced', { minKeys: 2 });
    const { page } = await follow(url);
    await VirtualAuthenticator.add(page);
    await page.getByLabel('User name').fill('raced');
    await page.route('**/fidoapi/invitation', (route) => route.abort());
    await page.route('**/register/complete', async (route) => {
      await new FidoClient(server.url).register('raced', { ticket: url.split('#')[1] });
      await route.continue();
    });
    await press(page, 'Make my key');
    expect(await outcome(page)).toBe('This link has just made another key');
    await page.context().close();
  });

  it.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])(
    'an invitation can be made by the help desk on the page of a user, on a %s',
    async (_, options) => {
      const name = `lost-${options.viewport.width}`;
      await new FidoClient(server.url).register(name, {
        ticket: (await issue(name)).url.split('#')[1],
      });
      const { page, complaints } = await admin.open(
        `/userapi/user?rp=localhost&name=${name}`,
        options,
      );
      await pressAndLoad(page, 'Make the link');
      const link = (await page.locator('#link').textContent()) ?? '';
      expect(link).toMatch(/\/enrol\?relyingParty=localhost#[\w-]{22}$/);
      expect(await page.locator('#message').textContent()).toContain(link);
      const greys = (await page.evaluate<string>(`(${PIXELS})()`)).split(',').map(Number);
      const data = Uint8ClampedArray.from(greys.flatMap((grey) => [grey, grey, grey, 255]));
      expect(decodeQR({ width: 205, height: 205, data })).toBe(link);
      expect(await overflowOf(page)).toBe(0);
      expect(complaints).toEqual([]);
      expect(await barriersOf(page)).toEqual([]);

      await Promise.all([page.waitForEvent('load'), page.locator('.crumbs a').last().click()]);
      expect(await page.locator('.invitations tbody tr').count()).toBe(2);
      expect(await overflowOf(page)).toBe(0);
      expect(await barriersOf(page)).toEqual([]);
      await Promise.all([
        page.waitForEvent('load'),
        page.getByRole('button', { name: /^Withdraw the invitation/ }).click(),
      ]);
      await page.getByText('The invitation is withdrawn.').waitFor();
      const gone = await follow(link);
      await gone.page.getByText('This link was withdrawn').waitFor();
      await gone.page.context().close();
      await page.close();
    },
  );

  function change(body: object) {
    return adminClient(server.url).patch(
      '/tenantapi/tenants/default/relying-parties/localhost',
      body,
    );
  }

  async function issue(username: string, wish: object = {}) {
    const asked = { username, relyingParty: 'localhost', ...wish };
    const { body } = await adminClient(server.url).post('/userapi/invitations', asked);
    return { url: String(body['url']), id: (body['invitation'] as { id: string }).id };
  }

  async function follow(url: string, options: BrowserContextOptions = PHONE) {
    const page = await (await browser.newContext(options)).newPage();
    const complaints = complaintsOf(page);
    await page.goto(url);
    return { page, complaints };
  }

  function press(page: Page, name: string) {
    return page.getByRole('button', { name, exact: true }).click();
  }
});
