import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { issueKey } from '../support/application-keys.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, barriersOf, overflowOf } from './support/admin-pages.js';
import { VirtualAuthenticator } from './support/authenticator.js';
import { complaintsOf, openBrowser, type SuiteBrowser } from './support/browser.js';

const ROAMING_WITHOUT_PIN = {
  transport: 'usb',
  hasUserVerification: false,
  hasResidentKey: false,
} as const;

describe('the demo page', () => {
  let server: TestServer;
  let browser: SuiteBrowser;
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

  const outcome = () => page.locator('#outcome strong').first();
  const fill = (username: string) => page.getByLabel('User name').fill(username);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const scene = (name: string) => page.getByRole('link', { name, exact: true }).click();
  const backend = () => page.locator('#backend').textContent();

  it('registers a user and signs in', async () => {
    await VirtualAuthenticator.add(page);
    await fill('ada');
    await press('Register');
    await says('Registered for ada.');
    expect(await page.locator('#outcome dd').first().textContent()).toMatch(/^not reported/);
    await press('Sign in');
    await says('Signed in as Ada Lovelace.');
    expect(await page.locator('#keys li').count()).toBe(1);
    expect(await page.locator('#keys li').textContent()).toContain('ada · 1 sign-in');
    expect(complaints).toEqual([]);
  });

  it('the demo page shows the requests and answers', async () => {
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

  it('reports an authenticator that is already registered', async () => {
    await VirtualAuthenticator.add(page);
    await fill('again');
    await press('Register');
    await says('Registered');
    await press('Register');
    await page.getByText('already registered').waitFor();
    expect(await page.locator('#keys li').count()).toBe(1);
  });

  /** As if the user had looked at the prompt for a while and closed it. */
  const CLOSES = `navigator.credentials.create = () => new Promise((_, fail) => {
    setTimeout(() => fail(new DOMException('', 'NotAllowedError')), 350);
  });`;

  it('changes nothing after a cancelled prompt, and the next attempt works', async () => {
    await page.evaluate(CLOSES);
    await scene('When it fails');
    await press('A prompt to close');
    await says('The prompt was closed');
    expect(await backend()).toContain('Nothing: it is not notified of a prompt');
    await page.reload();
    await VirtualAuthenticator.add(page);
    await press('A prompt to close');
    await says('Registered');
  });

  it('distinguishes a key without PIN from a cancelled prompt', async () => {
    await VirtualAuthenticator.add(page, ROAMING_WITHOUT_PIN);
    await scene('When it fails');
    await press('A key without PIN');
    await says('No key here can verify its user');
    expect(await page.locator('#outcome').textContent()).toContain('Give the security key a PIN');
    await page.evaluate(CLOSES);
    await press('A key without PIN');
    await says('or the key could not verify its user');
  });

  it('signs in without a name, by autofill and by the button', async () => {
    const device = await VirtualAuthenticator.add(page);
    await fill('nameless');
    await press('Register');
    await says('Registered');
    await device.setPresence(false);
    await scene('Without a name');
    await page.getByText('Waiting in the field').waitFor();
    expect(await page.getByLabel('User name').isVisible()).toBe(false);
    await device.setPresence(true);
    await press('Sign in with a passkey');
    await says('Signed in as Ada Lovelace by a passkey.');
    await scene('Register, sign in');
    await scene('Without a name');
    await says('Signed in as Ada Lovelace, from the list of the field.');
    expect(complaints).toEqual([]);
  });

  /** This Chromium lets a conditional creation wait; here it answers at once. */
  const conditionalCreate = (answer: string) => `
    PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true });
    navigator.credentials.create = (({ create }) => ({ mediation, publicKey }) => {
      globalThis.asked = mediation;
      return mediation ? ${answer} : create.call(navigator.credentials, { publicKey });
    })(navigator.credentials);`;

  it('creates a passkey after a password, with a prompt only if the browser needs one', async () => {
    const first = await VirtualAuthenticator.add(page, { transport: 'usb' });
    await fill('upgrade');
    await press('Register');
    await says('Registered');
    await scene('After a password');
    await page.getByLabel('Password').fill('pretended');
    await press('Sign in with the password');
    await says('It is not certain yet');
    await press('Sign in with a key');
    await says('Signed in as');
    await first.setPresence(false);
    const phone = await VirtualAuthenticator.add(page);
    await page.evaluate(
      conditionalCreate(`Promise.reject(new DOMException('', 'NotAllowedError'))`),
    );
    await press('Sign in with the password');
    await says('no passkey was created');
    expect(await page.evaluate('asked')).toBe('conditional');
    await press('Make a passkey');
    await says('Registered for upgrade.');
    expect(await phone.keys()).toBe(1);
    await phone.remove();
    await VirtualAuthenticator.add(page, { transport: 'internal' });
    await page.evaluate(conditionalCreate('create.call(navigator.credentials, { publicKey })'));
    await press('Sign in with the password');
    await says('a passkey was created');
    expect(await page.locator('#calls').textContent()).not.toContain('pretended');
  });

  it('shows a second key, the list of keys and an invitation on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const phone = await VirtualAuthenticator.add(page);
    await fill('walk');
    await press('Register');
    await says('Registered');
    await scene('Second key');
    await press('Add a second key');
    await says('It is you. Now the other device.');
    await phone.setPresence(false);
    const drawer = await VirtualAuthenticator.add(page, { transport: 'usb' });
    await press('Add it');
    await says('Registered for walk.');
    expect(await drawer.keys()).toBe(1);
    await scene('My keys');
    await press('Show my keys');
    await says('2 keys of Ada Lovelace');
    expect(
      await page.getByRole('link', { name: 'Name and delete them' }).getAttribute('href'),
    ).toBe('/my-keys?relyingParty=localhost');
    expect(await overflowOf(page)).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
  });

  it('offers an invitation to accounts, and advice to others', async () => {
    const { page: admin } = await new AdminBrowser(browser, server).open('/demo#invitation');
    await admin.getByRole('button', { name: 'Make an invitation' }).click();
    await admin.getByText('A link for ada.').waitFor();
    const link = await admin.getByRole('button', { name: 'Follow it' }).getAttribute('href');
    expect(link).toMatch(/\/enrol\?relyingParty=localhost#[\w-]{22}$/);
    await admin.close();
    const httpCredentials = { username: 'nobody', password: 'guessed' };
    const other = await browser.newPage({ httpCredentials });
    await other.goto(`${server.url}/demo#invitation`);
    await other.getByRole('button', { name: 'Make an invitation' }).click();
    await other.getByText('This is for the help desk').waitFor();
    await other.close();
  });

  it('shows code for a backend that runs and gives the same result in each language', async () => {
    const { secret } = await issueKey(server.url, { tenant: 'default', scopes: ['ceremonies'] });
    await VirtualAuthenticator.add(page);
    const username = 'o’"$x\'`';
    await fill(username);
    await press('Register');
    await says('Registered');
    const languages = ['TypeScript', 'Python', 'curl'];
    const codes: string[] = [];
    for (const language of languages) {
      await press(language);
      codes.push((await page.locator('#backend-snippet').textContent()) ?? '');
    }
    const address = `${server.url}/fidoapi/keys?${new URLSearchParams({ username })}`;
    expect(codes.map((code) => code.includes(address))).toEqual([true, true, true]);
    const env = { ...process.env, SERVICEFIDO_KEY: secret };
    const run = promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', codes[0] ?? ''],
      {
        env: { ...env, NODE_OPTIONS: '' },
      },
    );
    expect((await run).stdout).toContain("deviceName: 'Security key'");
    await press('Sign in');
    await says('Signed in');
    await press('Python');
    expect(await backend()).toContain('audience="localhost"');
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

  it('the link to the content stops no call of the demo page', async () => {
    await VirtualAuthenticator.add(page, { automaticPresenceSimulation: false });
    await press('Register');
    await page.locator('#calls > li').waitFor();
    await page.getByText('Skip to content').press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    expect(page.url()).toBe(`${server.url}/demo`);
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('shows a refusal with its advice and the request’s ID', async () => {
    await fill('unknown-user');
    await press('Sign in');
    await says('No key of this user can sign in here.');
    expect(await page.locator('#outcome').textContent()).toMatch(/Request \S+/);
  });

  it('shows a refusal in the language of the page', async () => {
    const german = await browser.newPage({ locale: 'de-AT' });
    await german.goto(`${server.url}/demo`);
    await german.locator('#demo-form [name=username]').fill('unknown-user');
    await german.getByRole('button', { name: 'Anmelden', exact: true }).click();
    const title = german.locator('#outcome strong');
    expect(await title.innerHTML()).toBe(
      'Mit keinem Schlüssel dieses Benutzers ist hier eine Anmeldung möglich.',
    );
    await german.close();
  });

  it('the demo page can be used with only the keyboard', async () => {
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

  it('keeps the code consistent with the options', async () => {
    const code = page.locator('#snippet');
    expect(await code.textContent()).toContain(`${server.url}/sdk/servicefido.js`);
    expect(await code.textContent()).not.toContain('attestation');
    await option('Attestation', 'direct');
    await fill('ada "the first"');
    expect(await code.textContent()).toContain('attestation: "direct"');
    expect(await code.textContent()).toContain('username: "ada \\"the first\\""');
  });

  it('shows markup in user input as text', async () => {
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

  async function says(text: string) {
    await page.locator('#outcome .notice').waitFor();
    expect(await outcome().textContent()).toContain(text);
  }

  async function option(label: string, value: string) {
    await page.getByText('Options', { exact: true }).click();
    await page.getByLabel(label).selectOption(value);
  }
});

describe('the demo page with --registration first-only', () => {
  let server: TestServer;
  let browser: SuiteBrowser;

  beforeAll(async () => {
    const options = { registration: 'first-only' } as const;
    [server, browser] = await Promise.all([TestServer.start({ options }), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it('adds a second key only after a sign-in', async () => {
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
