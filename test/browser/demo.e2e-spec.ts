import type { Browser, Page } from 'playwright-core';
import { TestServer } from '../support/test-server.js';
import { overflowOf } from './support/admin-pages.js';
import { VirtualAuthenticator } from './support/authenticator.js';
import { complaintsOf, openBrowser } from './support/browser.js';

describe('demo page', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  beforeEach(async () => {
    page = await browser.newPage();
    complaints = complaintsOf(page);
    await page.goto(`${server.url}/demo`);
  });
  afterEach(() => page.close());

  const outcome = () => page.locator('#outcome strong');
  const says = async (text: string) => {
    await page.locator('#outcome .notice').waitFor();
    expect(await outcome().textContent()).toContain(text);
  };
  const fill = (username: string) => page.getByLabel('User name').fill(username);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const option = async (label: string, value: string) => {
    await page.getByText('Options', { exact: true }).click();
    await page.getByLabel(label).selectOption(value);
  };

  it('registers and signs in', async () => {
    await VirtualAuthenticator.add(page);
    await fill('ada');
    await press('Register');
    await says('Registered for ada.');
    expect(await page.locator('#outcome dd').first().textContent()).toMatch(/^not told/);
    await press('Sign in');
    await says('Signed in as Ada Lovelace.');
    expect(await page.locator('#keys li').count()).toBe(1);
    expect(await page.locator('#keys li').textContent()).toContain('ada · 1 sign-in');
    expect(complaints).toEqual([]);
  });

  it('shows what was sent and received', async () => {
    await VirtualAuthenticator.add(page);
    await fill('wire');
    await press('Register');
    await says('Registered');
    const calls = page.locator('#calls > li');
    expect(await calls.locator('summary code').allTextContents()).toEqual([
      'POST /fidoapi/register/begin',
      'POST /fidoapi/register/complete',
    ]);
    await calls.first().locator('summary').click();
    expect(await calls.first().locator('pre').first().textContent()).toContain(
      '"username": "wire"',
    );
    expect(await calls.first().locator('pre').last().textContent()).toContain('"challenge"');
  });

  it('registers a second authenticator and signs in with either', async () => {
    const first = await VirtualAuthenticator.add(page);
    await fill('two');
    await press('Register');
    await says('Registered');
    await first.remove();

    const second = await VirtualAuthenticator.add(page, { transport: 'usb' });
    await press('Register');
    await says('Registered');
    expect(await page.locator('#keys li').count()).toBe(2);

    await press('Sign in');
    await says('Signed in');
    expect(await second.keys()).toBe(1);
    expect(await page.locator('#keys li').first().textContent()).toContain('1 sign-in');
  });

  it('says so when the authenticator is registered already', async () => {
    await VirtualAuthenticator.add(page);
    await fill('again');
    await press('Register');
    await says('Registered');
    await press('Register');
    await page.getByText('registered already').waitFor();
    expect(await page.locator('#keys li').count()).toBe(1);
  });

  it('cancelled prompt: nothing changed, and the next try works', async () => {
    const device = await VirtualAuthenticator.add(page, { isUserVerified: false });
    await fill('hesitant');
    await option('User verification', 'required');
    await press('Register');
    await says('The prompt was closed');
    await device.remove();
    await VirtualAuthenticator.add(page);
    await press('Register');
    await says('Registered');
  });

  it('stops a pending prompt by the Cancel button', async () => {
    await VirtualAuthenticator.add(page, { automaticPresenceSimulation: false });
    await fill('stopped');
    await press('Register');
    await page.locator('#calls > li').waitFor();
    await press('Cancel');
    await says('The call was stopped.');
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows a refusal with its advice and the request’s ID', async () => {
    await fill('unknown-user');
    await press('Sign in');
    await says('No key of this user can sign in here.');
    expect(await page.locator('#outcome').textContent()).toMatch(/Request \S+/);
  });

  it('can be used with the keyboard alone', async () => {
    await VirtualAuthenticator.add(page);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.name')).toBe('username');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('keys-only');
    await page.keyboard.press('Enter');
    await says('Registered for keys-only.');
    expect(await page.evaluate('document.activeElement.value')).toBe('register');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await says('Signed in');
  });

  it('keeps the code in step with the options', async () => {
    const code = page.locator('#snippet');
    expect(await code.textContent()).toContain(`${server.url}/sdk/servicefido.js`);
    expect(await code.textContent()).not.toContain('attestation');
    await option('Attestation', 'direct');
    await fill('ada "the first"');
    expect(await code.textContent()).toContain('attestation: "direct"');
    expect(await code.textContent()).toContain('username: "ada \\"the first\\""');
  });

  it('never reads what a user typed as markup', async () => {
    await VirtualAuthenticator.add(page);
    await fill('<img src=x>');
    await page.getByLabel('Display name').fill('<b>bold</b>');
    await press('Register');
    await says('Registered for <img src=x>.');
    await press('Sign in');
    await says('Signed in as <b>bold</b>.');
    expect(complaints).toEqual([]);
  });

  it('fits a narrow screen with all of its results open', async () => {
    await page.setViewportSize({ width: 360, height: 720 });
    await VirtualAuthenticator.add(page);
    await fill('a-rather-long-user-name-without-any-blank@example.com');
    await press('Register');
    await says('Registered');
    await press('Sign in');
    await says('Signed in');
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await page.locator('#outcome pre').textContent()).toContain('"aud": "localhost"');
    expect(await overflowOf(page)).toBe(0);
  });

  it('keeps the list of keys until the tab is closed', async () => {
    await VirtualAuthenticator.add(page);
    await fill('kept');
    await press('Register');
    await says('Registered');
    await page.reload();
    expect(await page.locator('#keys li').count()).toBe(1);
  });
});

describe('demo page of a server with --registration first-only', () => {
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    const options = { registration: 'first-only' } as const;
    [server, browser] = await Promise.all([TestServer.start({ options }), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it('adds a second key after a sign-in, and not before', async () => {
    const page = await browser.newPage();
    const press = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.locator('#outcome .notice').waitFor();
      return page.locator('#outcome strong').textContent();
    };
    await page.goto(`${server.url}/demo`);
    const first = await VirtualAuthenticator.add(page);
    expect(await press('Register')).toBe('Registered for ada.');
    expect(await press('Register')).toContain('E0043R');
    expect(await press('Sign in')).toBe('Signed in as Ada Lovelace.');
    await first.remove();
    await VirtualAuthenticator.add(page, { transport: 'usb' });
    expect(await press('Register')).toBe('Registered for ada.');
  });
});
