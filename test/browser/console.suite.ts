import type { BrowserContext, Page } from 'playwright-core';
import { ADMIN, TestServer } from '../support/test-server.js';
import { barriersOf, overflowOf, pressAndLoad } from './support/admin-pages.js';
import { VirtualAuthenticator } from './support/authenticator.js';
import { complaintsOf, openBrowser, type SuiteBrowser } from './support/browser.js';

const WIDTHS = [390, 768, 1280];

describe('the sign-in of the console in a browser', () => {
  let browser: SuiteBrowser;
  let server: TestServer;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    server = await TestServer.start();
    context = await browser.newContext();
    page = await context.newPage();
    complaints = complaintsOf(page);
    await VirtualAuthenticator.add(page);
  });
  afterEach(async () => {
    await context.close();
    await server.stop();
    // Nothing violates the content security policy, and only refused requests fail.
    expect(complaints.filter((text) => !/status of (?:400|401|403)/.test(text))).toEqual([]);
  });

  const press = (name: string) => pressAndLoad(page, name);
  const says = (text: string) => page.getByText(text).first().waitFor();
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();

  it('returns to the requested page', async () => {
    await page.goto(`${server.url}/userapi`);
    await holdsUp();
    await typePassword();
    await heading('Users');
    expect(new URL(page.url()).pathname).toBe('/userapi');
    await page.getByRole('link', { name: ADMIN.user }).click();
    await says('Where you are signed in');
  });

  it('accepts a key that was added, without the password', async () => {
    await open('/console/account');
    await addKey();
    await holdsUp();
    await press('Sign out');
    await says('You are signed out.');
    await press('Sign in with a key');
    await heading('Dashboard');
  });

  it('requires the key after the password if the rule requires both', async () => {
    await open('/console/account');
    await addKey();
    await choose('password+key');
    await says('You now need the password and a key to sign in.');
    await press('Sign out');
    await press('Sign in with a key');
    await says('This account requires its password first');
    await typePassword();
    await says('Your password is correct.');
    await holdsUp();
    await press('Use your key');
    await heading('Dashboard');
  });

  it('refuses a password if the rule requires a key', async () => {
    await open('/console/account');
    await addKey();
    await choose('key');
    await says('You now need a key to sign in.');
    await press('Sign out');
    await typePassword();
    await says('The name or the password is wrong.');
    // The password has the focus: a screen reader reads out why.
    const password = page.locator('input:focus[type=password]');
    expect(await password.getAttribute('aria-describedby')).toBe('refused');
    await press('Sign in with a key');
    await heading('Dashboard');
  });

  it('the sign-in of the console does not let an account delete its last key if it signs in only with keys', async () => {
    await open('/console/account');
    await addKey();
    await choose('key');
    await says('You now need a key to sign in.');
    await press('Remove Laptop');
    await says('This is the last key with which this account can sign in');
  });

  it('sets an account up with a password, which signs it in', async () => {
    const link = await create('anna');
    await holdsUp();
    await page.getByRole('link', { name: 'anna' }).click();
    await heading('anna');
    await holdsUp();
    await press('Sign out');
    await page.goto(link);
    await says('You are anna.');
    expect(page.url()).not.toContain('#');
    await holdsUp();
    await page.getByLabel('Password', { exact: true }).fill('four words are good');
    await page.getByLabel('Repeat the password').fill('four words are good');
    await press('Set the password');
    await says('Your password is set');
    await press('Sign out');
    await typePassword('anna', 'four words are good');
    await heading('Users');
  });

  it('follows a setup link in a tab that shows a wrong one, and keeps its token out of the address', async () => {
    const link = await create('twice');
    await press('Sign out');
    await page.goto(`${server.url}/console/setup#truncated`);
    await says('This link is no longer valid');
    await page.goto(link);
    await says('You are twice.');
    expect(page.url()).not.toContain('#');
  });

  it('sets an account up with a key alone, by a link that works once', async () => {
    const link = await create('berta');
    await press('Sign out');
    await page.goto(link);
    await page.getByLabel('Name of a new key').fill('Phone');
    await press('Use a key instead');
    await says('Your key is added, and you are signed in.');
    await press('Sign out');
    await page.goto(link);
    await says('This link is no longer valid');
    await holdsUp();
  });

  it('shows the button that signs out everywhere close to the list of sessions', async () => {
    await open('/console/account');
    const table = page.getByRole('table');
    const button = page.getByRole('button', { name: 'Sign out everywhere' });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflowOf(page)).toBe(0);
      const above = await table.boundingBox();
      const below = await button.boundingBox();
      const gap = (below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0);
      expect(gap).toBeGreaterThan(0);
      expect(gap).toBeLessThanOrEqual(16);
    }
  });

  it('shows no data on a page that is reached with Back after signing out', async () => {
    await open('/userapi');
    await press('Sign out');
    await says('You are signed out.');
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
    await page.reload();
    await says('To the administration of this server.');
    expect(await page.getByText('You are signed out.').count()).toBe(0);
    await page.goBack();
    await says('To the administration of this server.');
    expect(await page.getByRole('heading', { name: 'Users', exact: true }).count()).toBe(0);
  });

  async function typePassword(name = ADMIN.user, password = ADMIN.password): Promise<void> {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(password);
    await press('Sign in');
  }

  /** Signs in on the way to a page. */
  async function open(path: string): Promise<void> {
    await page.goto(server.url + path);
    await typePassword();
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
  }

  async function addKey(): Promise<void> {
    await page.getByLabel('Name of a new key').fill('Laptop');
    await press('Add a key');
    await says('The key is added.');
  }

  async function choose(rule: string) {
    await page.getByLabel('What you need to sign in').selectOption(rule);
    await press('Save');
  }

  /** @returns the link with which the account is set up */
  async function create(account: string): Promise<string> {
    await open('/console/accounts');
    await page.getByLabel('Name', { exact: true }).fill(account);
    await press('Create');
    return page.getByRole('textbox', { name: 'Setup link' }).inputValue();
  }

  /** In light and dark and at each width: no accessibility violation, and nothing that is too wide. */
  async function holdsUp(): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overflowOf(page)).toBe(0);
      }
      expect(await barriersOf(page)).toEqual([]);
    }
  }
});
