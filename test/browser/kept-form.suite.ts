import type { Page } from 'playwright-core';
import { PASSWORD, accountsFile } from '../support/accounts.js';
import { settle } from '../support/settled-users.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';
import { barriersOf, overflowOf } from './support/admin-pages.js';
import { complaintsOf, openBrowser, type SuiteBrowser } from './support/browser.js';

const REASON = 'lost in the park';

describe('a form that is sent after its session has ended', () => {
  let server: TestServer;
  let browser: SuiteBrowser;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    const accounts = accountsFile([{ name: 'second', role: 'admin' }]);
    [server, browser] = await Promise.all([
      TestServer.start({ options: { accounts } }),
      openBrowser(),
    ]);
    const users = ['ada', 'bert', 'cleo', 'dora', 'emil', 'fred', 'gina'];
    await settle(server, relyingPartyOf(server, 'localhost'), users);
  });
  beforeEach(async () => {
    page = await (await browser.newContext()).newPage();
    complaints = complaintsOf(page);
    await page.goto(`${server.url}/console/sign-in`);
    await signIn(ADMIN.user, ADMIN.password);
  });
  afterEach(() => page.context().close());
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const offer = () => page.locator('.notice', { hasText: 'You had to sign in before this' });
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const endSessions = () => rowsOf(server, 'DELETE FROM console_sessions');
  const disabledKeys = () => countOf(server, 'credentials WHERE enabled = 0');
  const keptInTab = () => page.evaluate<string>('JSON.stringify(sessionStorage)');

  it('a form sent after its session ended is offered after the sign-in, and has one effect when the button is pressed twice', async () => {
    await disableTooLate('ada');
    await page.getByLabel('Name').fill(ADMIN.user);
    await page.getByLabel('Password').fill('wrong');
    await press('Sign in');
    await page.getByText('The name or the password is wrong.').waitFor();
    await signIn(ADMIN.user, ADMIN.password);
    expect(new URL(page.url()).pathname).toBe('/userapi/user');
    expect(await offer().textContent()).toContain('Disable USB security key (ada)');
    expect(await offer().textContent()).toContain(REASON);
    expect(await page.getByText('Nothing was changed: fill it in again').count()).toBe(0);
    await page.setViewportSize({ width: 360, height: 720 });
    expect(await overflowOf(page)).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 720 });
    const before = await countOf(server, "audit WHERE action = 'credential.disable'");
    await page.getByRole('button', { name: 'Do it now' }).dblclick();
    await keyIsDisabled();
    expect(await offer().count()).toBe(0);
    expect(await keptInTab()).toBe('{}');
    expect(await countOf(server, "audit WHERE action = 'credential.disable'")).toBe(before + 1);
    await page.goBack();
    expect(await offer().count()).toBe(0);
    expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([]);
  });

  it('a form sent after its session ended is offered on every page until it is discarded, and never runs without its button', async () => {
    await disableTooLate('bert');
    await signIn(ADMIN.user, ADMIN.password);
    await page.goto(`${server.url}/status`);
    await offer().getByRole('link', { name: 'bert' }).waitFor();
    await press('Discard');
    expect(await offer().count()).toBe(0);
    expect(await disabled('bert')).toBe(false);
    expect(await offer().count()).toBe(0);
  });

  it('a form sent after its session ended is not offered to another account, nor after a sign-out', async () => {
    await disableTooLate('cleo');
    await signIn('second', PASSWORD);
    expect(await page.getByText('Nothing was changed: fill it in again').count()).toBe(1);
    expect(await offer().count()).toBe(0);
    expect(await keptInTab()).toBe('{}');
    await disableTooLate('cleo');
    await signIn('second', PASSWORD);
    await offer().waitFor();
    await press('Sign out');
    await page.getByText('You are signed out.').waitFor();
    await signIn('second', PASSWORD);
    expect(await offer().count()).toBe(0);
    expect(await disabled('cleo')).toBe(false);
  });

  it('a form sent after its session ended is offered once more if the session has ended again', async () => {
    await disableTooLate('dora');
    await signIn(ADMIN.user, ADMIN.password);
    await endSessions();
    await press('Do it now');
    await signIn(ADMIN.user, ADMIN.password);
    expect(await offer().textContent()).toContain('Disable USB security key (dora)');
    await press('Do it now');
    await keyIsDisabled();
  });

  it('a form sent after its session ended is offered if another tab has signed in since', async () => {
    await page.goto(`${server.url}/userapi/user?rp=localhost&name=emil`);
    await page.getByLabel('Reason for disabling USB security key').fill(REASON);
    const other = await page.context().newPage();
    await endSessions();
    await other.goto(`${server.url}/console/sign-in`);
    const first = page;
    page = other;
    await signIn(ADMIN.user, ADMIN.password);
    page = first;
    await press('Disable USB security key');
    await press('Do it now');
    await keyIsDisabled();
  });

  it('a form sent after its session ended is offered after the recent sign-in that a form about access requires', async () => {
    await page.goto(`${server.url}/console/accounts`);
    await page.getByLabel('Name', { exact: true }).fill('late');
    await page.getByRole('checkbox', { name: 'Default' }).check();
    server.clock.advance(16 * 60_000);
    await press('Create');
    await page.getByText('Sign in again: nothing was changed.').waitFor();
    const name = page.getByLabel('Name', { exact: true });
    expect(await name.getAttribute('aria-describedby')).toBe('refused');
    await page.getByText('Your form is kept in this tab').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await countOf(server, "console_accounts WHERE name = 'late'")).toBe(0);
    await signIn(ADMIN.user, ADMIN.password);
    expect(new URL(page.url()).pathname).toBe('/console/accounts');
    expect(await offer().locator('li').allTextContents()).toEqual([
      'Name: late',
      'Role: Help desk: finds users, disables and enables keys, invites',
      'Limited to tenants: ✓ Default',
      'Its owner gets: a setup link, to choose a password or add a key',
    ]);
    await press('Do it now');
    await page.getByRole('textbox', { name: 'Setup link' }).waitFor();
  });

  it('a form sent after its session ended may be the form of a policy', async () => {
    await page.goto(`${server.url}/tenants/default/localhost`);
    await page.getByLabel('Name that authenticators show').fill('Shop of Ada');
    await press('Try the policy before it counts');
    await page.getByText('What this policy would mean').waitFor();
    // Its script keeps the form.
    await page.waitForLoadState();
    await endSessions();
    await press('Save');
    await signIn(ADMIN.user, ADMIN.password);
    expect(new URL(page.url()).pathname).toBe('/tenants/default/localhost/try');
    expect(await offer().textContent()).toContain('Save (localhost)');
    const name = page.getByLabel('Name that authenticators show');
    await press('Do it now');
    await page.waitForURL(({ pathname }) => pathname === '/tenants/default/localhost');
    await page.locator('.notice.good').waitFor();
    expect(await name.inputValue()).toBe('Shop of Ada');
  });

  it('a form sent after its session ended may be the form that changes several users, whom it then names', async () => {
    await page.goto(`${server.url}/userapi`);
    for (const name of ['fred', 'gina']) await page.getByLabel(`Tick ${name}`).check();
    await press('Disable keys…');
    await page.getByLabel('Reason').fill(REASON);
    await page.waitForLoadState();
    await endSessions();
    const before = await disabledKeys();
    await press('Disable the keys of 2 users');
    await signIn(ADMIN.user, ADMIN.password);
    expect(new URL(page.url()).pathname).toBe('/userapi');
    const text = await offer().innerText();
    for (const said of ['localhost/fred', 'localhost/gina', REASON]) expect(text).toContain(said);
    expect(await offer().getByRole('link').getAttribute('href')).toBe('/userapi');
    expect(await disabledKeys()).toBe(before);
    await press('Do it now');
    await page.getByRole('heading', { name: 'Keys disabled' }).waitFor();
    expect(await disabledKeys()).toBe(before + 2);
  });

  it('a form sent after its session ended may be the one that previews a change of several users', async () => {
    await page.goto(`${server.url}/userapi`);
    for (const name of ['fred', 'gina']) await page.getByLabel(`Tick ${name}`).check();
    await endSessions();
    await press('Enable keys…');
    await signIn(ADMIN.user, ADMIN.password);
    await press('Do it now');
    await page.getByRole('heading', { name: 'Enable the keys of 2 users?' }).waitFor();
  });

  it('a form sent after its session ended may be the form that stores an invoice', async () => {
    const today = server.clock.today();
    await page.goto(`${server.url}/userapi/invoice?date=${today}`);
    await page.locator('.invoice-issue [type=checkbox]').check();
    await endSessions();
    await page.locator('.invoice-issue button').click();
    await signIn(ADMIN.user, ADMIN.password);
    expect(await countOf(server, 'invoices')).toBe(0);
    await press('Do it now');
    await page.locator('.notice.good').waitFor();
    expect(await countOf(server, 'invoices')).toBe(1);
  });

  it('a form sent after its session ended is not kept if it contains a password', async () => {
    await page.goto(`${server.url}/console/account`);
    await endSessions();
    await page.evaluate(`(() => {
      const field = document.createElement('input');
      Object.assign(field, { type: 'password', name: 'password', value: 'four words are good' });
      const form = document.querySelector('.sign-out').form;
      form.setAttribute('action', '/console/account/password');
      form.append(field);
      form.requestSubmit();
    })()`);
    await page.getByText('Your session has ended.').waitFor();
    expect(await keptInTab()).toBe('{}');
    await signIn(ADMIN.user, ADMIN.password);
    expect(await offer().count()).toBe(0);
  });

  it('a form sent after its session ended is reported as not done after the sign-in without JavaScript', async () => {
    await page.context().close();
    page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await page.goto(`${server.url}/console/sign-in`);
    await signIn(ADMIN.user, ADMIN.password);
    await disableTooLate('cleo');
    await signIn(ADMIN.user, ADMIN.password);
    await page.getByText('Nothing was changed: fill it in again').waitFor();
    await page.reload();
    expect(await page.getByText('Nothing was changed: fill it in again').count()).toBe(0);
  });

  async function signIn(name: string, password: string): Promise<void> {
    // A form is sent by its script: the page before may still be there, with other fields.
    await page.getByLabel('Password').waitFor();
    await page.waitForLoadState();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(password);
    await Promise.all([page.waitForEvent('load'), press('Sign in')]);
    await page.locator('.signed-in').waitFor();
  }

  /** Presses the button that disables the user's only key; the session is over, so this has no effect. */
  async function disableTooLate(username: string): Promise<void> {
    await page.goto(`${server.url}/userapi/user?rp=localhost&name=${username}`);
    await page.getByLabel('Reason for disabling USB security key').fill(REASON);
    await endSessions();
    await press('Disable USB security key');
    await page.getByText('Your session has ended.').waitFor();
  }

  async function disabled(username: string): Promise<boolean> {
    await page.goto(`${server.url}/userapi/user?rp=localhost&name=${username}`);
    return (await page.getByText(REASON).count()) > 0;
  }

  // The offer contains the reason too, so the reason does not show that the page is the next one.
  async function keyIsDisabled() {
    await page.getByRole('button', { name: 'Enable USB security key' }).waitFor();
    await page.waitForLoadState();
  }
});
