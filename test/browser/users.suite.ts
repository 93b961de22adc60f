import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { accountsFile } from '../support/accounts.js';
import { AdminClient } from '../support/admin-client.js';
import { FidoClient } from '../support/fido-client.js';
import { settle } from '../support/people.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, overflowOf } from './support/admin-pages.js';
import { openBrowser } from './support/browser.js';

const numbered = (n: number) => `crowd-${String(n).padStart(3, '0')}`;

describe('the help desk in a browser', () => {
  let server: TestServer;
  let browser: Browser;
  let admin: AdminBrowser;
  let accounts: string;

  beforeAll(async () => {
    accounts = await accountsFile();
    [server, browser] = await Promise.all([
      TestServer.start({ options: { accounts } }),
      openBrowser(),
    ]);
    admin = new AdminBrowser(browser, server);
    await settle(server, relyingPartyOf(server, 'localhost'), [
      ...Array.from({ length: 60 }, (_, n) => ({ username: numbered(n) })),
      ...['100%_a', '100%xa'].map((username) => ({ username })),
      { username: 'jo/hn?&#+ %2F"' },
      { username: 'two', devices: ['First', 'Second'] },
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(dirname(accounts), { recursive: true });
  });

  const names = (page: Page) => page.locator('tbody th a').allTextContents();
  const press = (page: Page, name: string) =>
    Promise.all([
      page.waitForEvent('load'),
      page.getByRole('button', { name, exact: true }).click(),
    ]);
  const enabledOf = async (username: string) => {
    const rows = await rowsOf<{ enabled: number }>(
      server,
      `SELECT c.enabled FROM credentials c JOIN users u ON u.id = c.user_id
       WHERE u.username = ? ORDER BY c.registered_at`,
      Buffer.from(username),
    );
    return rows.map(({ enabled }) => enabled);
  };
  const keysOf = async (username: string) => {
    const rows = await rowsOf<{ id: Buffer }>(
      server,
      `SELECT c.credential_id AS id FROM credentials c JOIN users u ON u.id = c.user_id
       WHERE u.username = ?`,
      Buffer.from(username),
    );
    return rows.map(({ id }) => id.toString('base64url'));
  };
  const lastAudit = async () => {
    const [row] = await rowsOf<{ action: string; target: Buffer; result: string }>(
      server,
      'SELECT action, target, result FROM audit ORDER BY seq DESC LIMIT 1',
    );
    return row && { ...row, target: row.target?.toString() };
  };

  it.each([true, false])(
    'finds users by prefixes of their names, with scripts: %s',
    async (scripts) => {
      const { page } = await admin.open('/userapi', { javaScriptEnabled: scripts });
      await page.getByLabel('User name or display name').fill('crowd-00');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('heading', { name: '10 users' }).waitFor();
      expect(page.url()).toContain('/userapi?filter=crowd-00');
      expect(await names(page)).toEqual(Array.from({ length: 10 }, (_, n) => numbered(n)));
      await page.close();
    },
  );

  it('searches while typing, shows the number, and keeps the search in the address', async () => {
    const { page, complaints } = await admin.open('/userapi');
    await page.getByLabel('User name or display name').pressSequentially('*-05');
    await page.getByRole('heading', { name: '0 users', exact: true }).waitFor();
    expect(await page.textContent('#results')).toContain('Nobody found.');
    await page.getByLabel('User name or display name').pressSequentially('9');
    await page.getByRole('heading', { name: '1 user' }).waitFor();
    expect(await page.locator('#announcement').textContent()).toBe('1 user');
    expect(new URL(page.url()).searchParams.get('filter')).toBe('*-059');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('keeps the page and the search while the server does not answer', async () => {
    const { page } = await admin.open('/userapi');
    const field = page.getByLabel('User name or display name');
    await page.route('**/userapi?*', (route) => route.abort());
    await field.pressSequentially('*-059');
    await page.getByRole('alert').getByText('The search failed').waitFor();
    expect(await field.inputValue()).toBe('*-059');
    await page.unroute('**/userapi?*');
    await field.press('Enter');
    await page.getByRole('heading', { name: '1 user' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.close();
  });

  it('turns the pages of a long list of users', async () => {
    const { page } = await admin.open('/userapi?filter=crowd*');
    const first = await names(page);
    await Promise.all([page.waitForEvent('load'), page.getByText('Next page').click()]);
    expect([...first, ...(await names(page))]).toEqual(
      Array.from({ length: 60 }, (_, n) => numbered(n)),
    );
    await page.close();
  });

  it('treats only "*" as special, and offers all matches as a file', async () => {
    const { page } = await admin.open(`/userapi?filter=${encodeURIComponent('100%_*')}`);
    expect(await names(page)).toEqual(['100%_a']);
    await page.goto(`${server.url}/userapi?filter=crowd`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByText('Download CSV').click(),
    ]);
    const text = await (await download.createReadStream()).toArray();
    expect(Buffer.concat(text).toString().trim().split('\r\n')).toHaveLength(61);
    await page.close();
  });

  it('opens the page of a name with special characters and returns', async () => {
    const { page } = await admin.open('/userapi?filter=jo/');
    await Promise.all([page.waitForEvent('load'), page.locator('tbody th a').click()]);
    expect(await page.locator('h1').textContent()).toBe('jo/hn?&#+ %2F"');
    await page.getByText('Disable all…').click();
    await press(page, 'Disable all keys');
    expect(await page.getByRole('status').textContent()).toContain('All keys are disabled.');
    expect(await enabledOf('jo/hn?&#+ %2F"')).toEqual([0]);
    await page.close();
  });

  it('disables a key, which then cannot sign in, and enables it', async () => {
    const person = new FidoClient(server.url);
    await person.register('grace', { keypair: { name: 'Blue key' } });
    const { page } = await admin.open('/userapi/user?rp=localhost&name=grace');
    await press(page, 'Disable Blue key');
    expect(await page.getByRole('status').textContent()).toContain('The key is disabled.');
    expect(await lastAudit()).toMatchObject({ action: 'credential.disable', target: 'grace' });
    expect((await person.signIn('grace')).status).toBe(403);
    await press(page, 'Enable Blue key');
    expect((await person.signIn('grace')).status).toBe(200);
    await page.reload();
    expect(await page.locator('.timeline').textContent()).toContain('Signed in');
    await page.close();
  });

  it('copies the text for a support case, without credential IDs', async () => {
    const person = new FidoClient(server.url);
    await person.register('ticket', { keypair: { name: 'Green key' } });
    const { page } = await admin.open('/userapi/user?rp=localhost&name=ticket');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy support summary' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(text).toMatch(/^User ticket at localhost\n\nKeys:\n- Green key \(.*\): enabled, /);
    expect(text).toMatch(/\n- \S+ Registered a key/);
    const [key] = await keysOf('ticket');
    expect(text).not.toContain(key);
    await page.close();
  });

  it('asks for a confirmation before deleting a key, and for the name before deleting a user', async () => {
    const { page } = await admin.open('/userapi/user?rp=localhost&name=two');
    const warned = page.getByText('It is the last key that can sign in.');
    const deleteKey = async (name: string) => {
      await page.locator('.key', { hasText: name }).getByText('Delete…').click();
      await press(page, `Delete key ${name}`);
    };
    const deletion = page.getByRole('region', { name: 'Delete this user' });
    const deleteUser = async (name: string) => {
      await deletion.getByLabel(/^Type/).fill(name);
      await press(page, 'Delete user');
    };
    expect(await warned.count()).toBe(0);
    await deleteKey('Second');
    expect(await page.locator('.key h3').allTextContents()).toEqual(['First']);
    expect(await warned.count()).toBe(1);
    await page.getByText('Delete user…').click();
    await deletion.getByLabel(/^Reason/).fill('has left us');
    await deleteUser('somebody else');
    expect(await page.getByRole('status').textContent()).toContain('Nothing was deleted');
    expect(await enabledOf('two')).toEqual([1]);
    // The reason stands there still.
    await deleteUser('two');
    expect(await page.getByRole('status').textContent()).toContain('The user is deleted');
    expect(await lastAudit()).toMatchObject({ action: 'user.delete', target: 'two' });
    expect(await page.locator('main').textContent()).toContain('There is no user of this name');
    expect(await page.locator('.timeline').textContent()).toContain('“has left us”');
    await page.close();
  });

  it('lists each user with a disabled key once, page by page', async () => {
    const shop = relyingPartyOf(server, 'localhost');
    const people = Array.from({ length: 55 }, (_, n) => `off-${String(n).padStart(2, '0')}`);
    const devices = ['One', 'Two', 'Three'];
    await settle(
      server,
      shop,
      people.map((username) => ({ username, devices })),
    );
    const client = new AdminClient(server.url);
    await client.manage({ type: 'disabledevice', filter: 'off-*', device: 'T*' });
    const { page } = await admin.open('/userapi?filter=off');
    await Promise.all([page.waitForEvent('load'), page.getByText('With a disabled key').click()]);
    const seen = await names(page);
    for (let next = page.getByText('Next page'); (await next.count()) > 0;) {
      await Promise.all([page.waitForEvent('load'), next.click()]);
      seen.push(...(await names(page)));
    }
    expect(seen.sort()).toEqual(people);
    const { text } = await client.get('/userapi/users.csv?filter=off&state=disabled');
    expect(text.trim().split('\r\n')).toHaveLength(56);
    await page.close();
  });

  it('disables several users after listing them, and undoes it', async () => {
    const { page } = await admin.open('/userapi?filter=crowd-01');
    for (const n of [10, 11]) await page.getByLabel(`Tick ${numbered(n)}`).check();
    expect(await page.locator('#ticked').textContent()).toBe('2 ticked:');
    await press(page, 'Disable keys…');
    expect(await names(page)).toEqual([numbered(10), numbered(11)]);
    expect(await enabledOf(numbered(10))).toEqual([1]);
    await press(page, 'Disable the keys of 2 users');
    expect(await page.getByRole('status').textContent()).toContain('2 users changed.');
    expect(await enabledOf(numbered(11))).toEqual([0]);
    await press(page, 'Undo');
    expect([await enabledOf(numbered(10)), await enabledOf(numbered(11))]).toEqual([[1], [1]]);
    await page.close();
  });

  it('deletes several users only when their number is typed', async () => {
    const { page } = await admin.open('/userapi?filter=crowd-02', { javaScriptEnabled: false });
    for (const n of [20, 21]) await page.getByLabel(`Tick ${numbered(n)}`).check();
    await press(page, 'Delete users…');
    await page.getByLabel(/^Type/).fill('3');
    await press(page, 'Delete 2 users');
    expect(await page.textContent('main')).toContain('Nothing was changed.');
    await page.getByLabel(/^Type/).fill('2');
    await press(page, 'Delete 2 users');
    await page.goto(`${server.url}/userapi?filter=crowd-02`);
    expect(await names(page)).toHaveLength(8);
    await page.close();
  });

  it('explains a refusal in words by its request ID', async () => {
    const person = new FidoClient(server.url);
    await person.register('alan');
    const begun = await person.beginAuthentication('alan');
    const refused = await person.completeAuthentication(
      person.assert(begun, { clientData: { origin: 'https://evil.example' } }),
    );
    const request = refused.headers.get('x-request-id') ?? '';
    await server.get(RefusalLog).flush();
    const { page } = await admin.open('/userapi/explain');
    await page.getByLabel('Request ID').fill(request);
    await press(page, 'Explain');
    const told = await page.locator('.timeline').textContent();
    expect(told).toContain('The page has an address that is not allowed');
    expect(told).toContain('alan at localhost');
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.locator('.timeline pre').count()).toBe(1);
    expect(await overflowOf(page)).toBe(0);
    await page.close();
  });

  it('shows an auditor no form, the help desk no deletion of users, and finance no users', async () => {
    const person = '/userapi/user?rp=localhost&name=crowd-030';
    const auditor = await admin.open(person, { account: 'auditor' });
    expect(await auditor.page.locator('main form button').count()).toBe(0);
    const helpdesk = await admin.open(person, { account: 'helpdesk' });
    expect(await helpdesk.page.locator('main form button').allTextContents()).toEqual([
      'Disable all keys',
      'Disable USB security key',
      'Delete key USB security key',
      ' Make the link',
      'Suspend',
    ]);
    const finance = await admin.open('/', { account: 'finance' });
    expect(await finance.page.getByRole('link', { name: 'Users' }).count()).toBe(0);
    await Promise.all([auditor, helpdesk, finance].map(({ page }) => page.close()));
  });
});
