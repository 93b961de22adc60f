import type { Page, Response } from 'playwright-core';
import { AdminClient } from '../support/admin-client.js';
import { adminClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';
import { barriersOf, overflowOf } from './support/admin-pages.js';
import { LIST_WAITS, VirtualAuthenticator } from './support/authenticator.js';
import { complaintsOf, openBrowser, type SuiteBrowser } from './support/browser.js';
import { registerOnDemo } from './support/demo-page.js';

describe('/my-keys', () => {
  let server: TestServer;
  let browser: SuiteBrowser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const names = (page: Page) => page.locator('#keys h2').allTextContents();

  it.each([
    ['phone', { width: 390, height: 844 }],
    ['desktop', { width: 1280, height: 900 }],
  ])('shows, names, adds and deletes keys, on a %s', async (kind, viewport) => {
    const username = `anna-${kind}`;
    const page = await (await browser.newContext({ viewport })).newPage();
    const complaints = complaintsOf(page);
    const phone = await VirtualAuthenticator.add(page);
    await registerOnDemo(page, server, username);
    // A reload between devices, so that the browser prompts for the right one.
    await page.addInitScript(LIST_WAITS);
    await page.goto(`${server.url}/my-keys?relyingParty=localhost`);
    await page.getByLabel('User name').fill(username);
    await press(page, 'Sign in');
    await page.getByText('Signed in as').waitFor();
    expect(await names(page)).toEqual(['This device']);

    await press(page, 'Rename “This device”');
    await page.getByLabel('New name').fill('My phone');
    await press(page, 'Save the name');
    await page.getByText('The key has its new name').waitFor();
    expect(await names(page)).toEqual(['My phone']);

    const drawer = await VirtualAuthenticator.add(page, { transport: 'usb' });
    await press(page, 'Add a key');
    await page.getByText('The key is added').waitFor();
    expect(await drawer.keys()).toBe(1);
    expect(await names(page)).toEqual(['My phone', 'USB security key']);
    expect(await overflowOf(page)).toBe(0);

    await press(page, 'Delete “USB security key”');
    await press(page, 'Keep it');
    expect(await page.getByText('Delete it for good').count()).toBe(0);
    await press(page, 'Delete “USB security key”');
    await press(page, 'Delete it for good');
    await page.getByText('The key is deleted').waitFor();
    // The browser received the signal, and has removed the key.
    await eventually(async () => expect(await drawer.keys()).toBe(0));
    expect(await phone.keys()).toBe(1);
    expect(await barriersOf(page)).toEqual([]);
    await press(page, 'Delete “My phone”');
    await press(page, 'Delete my last key');
    expect(await page.locator('#keys li').count()).toBe(1);
    await page.getByLabel('I understand').check();
    await press(page, 'Delete my last key');
    await page.getByRole('heading', { name: 'Sign in to see them' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('takes the focus along at each step, so that a keyboard does not start again at the top', async () => {
    const page = await browser.newPage();
    await VirtualAuthenticator.add(page);
    await registerOnDemo(page, server, 'keyboard');
    await page.addInitScript(LIST_WAITS);
    await page.goto(`${server.url}/my-keys`);
    const enter = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter');
    const focused = (selector: string, hasText: string) =>
      page.locator(`${selector}:focus`, { hasText }).waitFor();
    await page.getByLabel('User name').fill('keybord');
    await enter('Sign in');
    await page.getByText('No key can sign in under this name').waitFor();
    await focused('button', 'Sign in');
    await page.getByLabel('User name').fill('keyboard');
    await enter('Sign in');
    await focused('#whose', 'Signed in as');
    await enter('Rename “This device”');
    await enter('Cancel');
    await focused('button', 'Rename “This device”');
    await enter('Rename “This device”');
    await page.getByLabel('New name').fill('Phone');
    await enter('Save the name');
    await page.getByText('The key has its new name').waitFor();
    await focused('#whose', 'Signed in as');
    await enter('Delete “Phone”');
    await focused('.notice', 'This is your last key');
    await enter('Keep it');
    await focused('button', 'Delete “Phone”');
    await enter('Sign out');
    await focused('h2', 'Sign in to see them');
    await page.close();
  });

  it('shows the form only when its script can sign in', async () => {
    const page = await browser.newPage();
    let release = () => {};
    const arrival = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/js/user-facing/my-keys.js*', async (route) => {
      await arrival;
      await route.continue();
    });
    await page.goto(`${server.url}/my-keys`, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByLabel('User name').isVisible()).toBe(false);
    release();
    await page.getByLabel('User name').waitFor();
    await page.close();
  });

  it('signs in without a name by a button, and then offers the list again', async () => {
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await VirtualAuthenticator.add(page);
    await registerOnDemo(page, server, 'nameless');
    await page.addInitScript(LIST_WAITS);
    const begins = page.waitForResponse('**/fidoapi/authenticate/begin');
    await page.goto(`${server.url}/my-keys`);
    expect((await begins).request().postDataJSON()).toEqual({ mediation: 'conditional' });
    expect(await page.getByLabel('User name').inputValue()).toBe('');
    const asks = page.waitForResponse('**/fidoapi/authenticate/begin');
    await press(page, 'Sign in with a passkey');
    expect((await asks).request().postDataJSON()).toEqual({ mediation: 'optional' });
    await page.getByText('Signed in as').waitFor();
    expect(await names(page)).toHaveLength(1);
    const again = page.waitForResponse('**/fidoapi/authenticate/begin');
    await press(page, 'Sign out');
    expect((await again).request().postDataJSON()).toEqual({ mediation: 'conditional' });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('marks the keys that were added since the last sign-in, until the user signs out', async () => {
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await VirtualAuthenticator.add(page);
    await registerOnDemo(page, server, 'newcomer');
    await page.addInitScript(LIST_WAITS);
    const signIn = async () => {
      await page.goto(`${server.url}/my-keys`);
      await press(page, 'Sign in with a passkey');
      await page.getByText('Signed in as').waitFor();
    };
    await signIn();
    const marks = page.getByText('New since your last sign-in');
    expect(await marks.count()).toBe(0);
    expect((await new FidoClient(server.url).register('newcomer')).status).toBe(200);
    await signIn();
    await page.getByText('Keys were added to your account').waitFor();
    expect(await marks.count()).toBe(1);
    const card = page.locator('#keys li', { has: marks });
    expect(await card.locator('dd').allTextContents()).toContain('you, or somebody in your name');
    expect(await barriersOf(page)).toEqual([]);
    await press(page, 'Sign out');
    await press(page, 'Sign in with a passkey');
    await page.getByText('Signed in as').waitFor();
    expect(await marks.count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('reports a new key that the user did not add, after a confirmation', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    const complaints = complaintsOf(page);
    await VirtualAuthenticator.add(page);
    await registerOnDemo(page, server, 'robbed');
    await page.addInitScript(LIST_WAITS);
    const signIn = async () => {
      await page.goto(`${server.url}/my-keys`);
      await press(page, 'Sign in with a passkey');
      await page.getByText('Signed in as').waitFor();
    };
    await signIn();
    const thief = new FidoClient(server.url);
    expect((await thief.register('robbed')).status).toBe(200);
    await signIn();
    const notMe = page.getByRole('button', { name: /^This was not me/ });
    expect(await notMe.count()).toBe(1);
    await notMe.click();
    await page.getByText('Only the help desk can enable it again').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await press(page, 'Cancel');
    expect((await thief.signIn('robbed')).status).toBe(200);
    await notMe.click();
    const begun = await thief.beginAuthentication('robbed');
    await press(page, 'Report and disable it');
    await page.getByText('The key is disabled, and your help desk sees it').waitFor();
    const card = page.locator('#keys li', { hasText: 'New since your last sign-in' });
    expect(await card.getByText('Disabled', { exact: true }).count()).toBe(1);
    expect(await notMe.count()).toBe(0);
    const refused = await thief.completeAuthentication(thief.assert(begun));
    expect(refused.body.errorCode).toBe('E0034R');
    const { body } = await new AdminClient(server.url, 'localhost').get('/userapi/findings');
    expect(body['findings']).toMatchObject([{ username: 'robbed', rule: 'reported' }]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('asks again before it deletes a key that has become the last one in another tab', async () => {
    const page = await browser.newPage();
    await VirtualAuthenticator.add(page);
    await registerOnDemo(page, server, 'two-tabs');
    await page.addInitScript(LIST_WAITS);
    await page.goto(`${server.url}/my-keys`);
    await page.getByLabel('User name').fill('two-tabs');
    await press(page, 'Sign in');
    await page.getByText('Signed in as').waitFor();
    await VirtualAuthenticator.add(page, { transport: 'usb' });
    await press(page, 'Add a key');
    await page.getByText('The key is added').waitFor();
    const admin = new AdminClient(server.url, 'localhost');
    const [user] = await admin.list('two-tabs');
    const device = String(user?.credentials[1]?.credentialId);
    expect((await admin.manage({ type: 'deldevice', filter: 'two-tabs', device })).status).toBe(
      200,
    );
    await press(page, 'Delete “This device”');
    await press(page, 'Delete it for good');
    await page.locator('.notice:focus', { hasText: 'This is your last key' }).waitFor();
    await page.getByLabel('I understand').check();
    await press(page, 'Delete my last key');
    await page.getByRole('heading', { name: 'Sign in to see them' }).waitFor();
    await page.close();
  });

  it('offers the list again after a failed sign-in', async () => {
    const page = await browser.newPage();
    await VirtualAuthenticator.add(page);
    await page.addInitScript(LIST_WAITS);
    const isOffer = (response: Response) =>
      response.request().postData()?.includes('conditional') === true;
    const first = page.waitForResponse(isOffer);
    await page.goto(`${server.url}/my-keys`);
    await page.getByLabel('User name').fill('nobody-here');
    await first;
    const again = page.waitForResponse(isOffer);
    await press(page, 'Sign in');
    await page.getByText('No key can sign in under this name').waitFor();
    expect((await again).status()).toBe(200);
    await page.close();
  });

  it('requires a new sign-in when the last one is older than five minutes', async () => {
    const page = await browser.newPage();
    await VirtualAuthenticator.add(page);
    await registerOnDemo(page, server, 'step-up');
    // The list of the field: this device chooses by itself.
    await page.goto(`${server.url}/my-keys`);
    await page.getByText('Signed in as').waitFor();
    server.clock.advance(301_000);
    await press(page, 'Rename “This device”');
    await page.getByLabel('New name').fill('Later');
    const asked = page.waitForResponse('**/fidoapi/authenticate/complete');
    await press(page, 'Save the name');
    expect((await asked).status()).toBe(200);
    await page.getByText('The key has its new name').waitFor();
    await page.close();
  });

  it('adds a key with a ticket where one is required, pasted or in the link', async () => {
    const admin = adminClient(server.url);
    const demand = (registration: string) =>
      admin.patch('/tenantapi/tenants/default/relying-parties/localhost', {
        policy: { registration },
      });
    const ticketFor = async (username: string) => {
      const { body } = await admin.post('/userapi/tickets', {
        username,
        relyingParty: 'localhost',
      });
      return String(body['ticket']);
    };
    const page = await browser.newPage();
    const phone = await VirtualAuthenticator.add(page);
    await registerOnDemo(page, server, 'ticket');
    expect((await demand('ticket')).status).toBe(200);
    await page.goto(`${server.url}/my-keys?relyingParty=localhost#${await ticketFor('ticket')}`);
    expect(page.url()).not.toContain('#');
    await page.getByText('Signed in as').waitFor();
    await phone.setPresence(false);
    const drawer = await VirtualAuthenticator.add(page, { transport: 'usb' });
    await press(page, 'Add a key');
    await page.getByText('The key is added').waitFor();
    expect(await drawer.keys()).toBe(1);
    // A link in the same tab changes only the fragment.
    await page.goto(`${server.url}/my-keys?relyingParty=localhost#none-of-ours`);
    await press(page, 'Add a key');
    await page.getByText('A new key may need a ticket').waitFor();
    expect(await names(page)).toHaveLength(2);
    expect((await demand('open')).status).toBe(200);
    await page.close();
  });
});
