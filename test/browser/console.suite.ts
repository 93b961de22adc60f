import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ADMIN, TestServer } from '../support/test-server.js';
import { barriersOf, overflowOf } from './support/admin-pages.js';
import { VirtualAuthenticator } from './support/authenticator.js';
import { complaintsOf, openBrowser } from './support/browser.js';

const WIDTHS = [390, 768, 1280];

describe('the console sign-in in a browser', () => {
  let server: TestServer;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), openBrowser()]);
    context = await browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(6000);
    complaints = complaintsOf(page);
    await VirtualAuthenticator.add(page);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const says = (text: string) => page.getByText(text).first().waitFor();
  async function typePassword(): Promise<void> {
    await page.getByLabel('Name').fill(ADMIN.user);
    await page.getByLabel('Password').fill(ADMIN.password);
    await press('Sign in');
  }
  const choose = async (rule: string) => {
    await page.getByLabel('To sign in it takes').selectOption(rule);
    await press('Save');
  };
  /** In light and dark and at each width: no barrier, and nothing that sticks out. */
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

  it('returns to the requested page', async () => {
    await page.goto(`${server.url}/userapi`);
    await holdsUp();
    await typePassword();
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/userapi');
    await page.getByRole('link', { name: ADMIN.user }).click();
    await says('Where you are signed in');
  });

  it('accepts an added key alone', async () => {
    await page.getByLabel('Name of a new key').fill('Laptop');
    await press('Add a key');
    await says('The key is added.');
    await holdsUp();
    await press('Sign out');
    await says('You are signed out.');
    await press('Sign in with a key');
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  });

  it('requires the key after the password if the rule requires both', async () => {
    await page.goto(`${server.url}/console/account`);
    await choose('password+key');
    await says('It takes the password and a key to sign in.');
    await press('Sign out');
    await press('Sign in with a key');
    await says('This account asks for its password first');
    await typePassword();
    await says('Your password is right.');
    await holdsUp();
    await press('Use your key');
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  });

  it('refuses a password if the rule requires a key', async () => {
    await page.goto(`${server.url}/console/account`);
    await choose('key');
    await says('It takes a key to sign in.');
    await press('Remove Laptop');
    await says('It is the last key that signs this account in');
    await page.goto(`${server.url}/console/account`);
    await press('Sign out');
    await typePassword();
    await says('The name or the password is wrong.');
    await press('Sign in with a key');
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  });

  it('lets a new account sign in from the accounts pages', async () => {
    await page.goto(`${server.url}/console/accounts`);
    await page.getByLabel('Name', { exact: true }).fill('anna');
    await press('Create');
    const link = await page.getByRole('textbox', { name: 'Setup link' }).inputValue();
    await holdsUp();
    await page.getByRole('link', { name: 'anna' }).click();
    await page.getByRole('heading', { name: 'anna' }).waitFor();
    await holdsUp();
    await press('Sign out');
    await page.goto(link);
    await says('You are anna.');
    expect(page.url()).not.toContain('#');
    await holdsUp();
    await page.getByLabel('Password', { exact: true }).fill('four words are good');
    await page.getByLabel('Password, once more').fill('four words are good');
    await press('Set the password');
    await says('Your password is set');
    await press('Sign out');
    await page.getByLabel('Name').fill('anna');
    await page.getByLabel('Password').fill('four words are good');
    await press('Sign in');
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
  });

  it('sets an account up with a key alone', async () => {
    await press('Sign out');
    await press('Sign in with a key');
    await page.goto(`${server.url}/console/accounts`);
    await page.getByLabel('Name', { exact: true }).fill('berta');
    await press('Create');
    const link = await page.getByRole('textbox', { name: 'Setup link' }).inputValue();
    await press('Sign out');
    await page.goto(link);
    await page.getByLabel('Name of a new key').fill('Phone');
    await press('Use a key instead');
    await says('Your key is added, and you are signed in.');
    await press('Sign out');
    await page.goto(link);
    await says('This link is no longer valid');
    await holdsUp();
    await page.goto(`${server.url}/console/sign-in`);
    await page.getByLabel('Name').fill('anna');
    await page.getByLabel('Password').fill('four words are good');
    await press('Sign in');
  });

  it('shows nothing on a page reached with Back after signing out', async () => {
    await page.goto(`${server.url}/userapi`);
    await press('Sign out');
    await says('You are signed out.');
    await page.goBack();
    await says('To the administration of this server.');
    expect(await page.getByRole('heading', { name: 'Users', exact: true }).count()).toBe(0);
  });

  it('conforms to the content security policy', () => {
    const unexpected = complaints.filter((text) => !/status of (?:400|401|403)/.test(text));
    expect(unexpected).toEqual([]);
  });
});
