import type { Page } from 'playwright-core';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { accountsFile } from '../support/accounts.js';
import { AdminClient } from '../support/admin-client.js';
import { FidoClient } from '../support/fido-client.js';
import { settle } from '../support/settled-users.js';
import { lastAuditRow, relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, barriersOf, overflowOf, pressAndLoad } from './support/admin-pages.js';

const numbered = (n: number) => `crowd-${String(n).padStart(3, '0')}`;

describe('the help desk in a browser', () => {
  let server: TestServer;
  let admin: AdminBrowser;

  beforeAll(async () => {
    admin = await AdminBrowser.start({
      users: [
        ...Array.from({ length: 60 }, (_, n) => numbered(n)),
        ...['100%_a', '100%xa', 'jo/hn?&#+ %2F"', 'gone-1', 'gone-2', 'gone-3', 'on-leave'],
        { username: 'two', devices: ['First', 'Second'] },
        { username: 'used', lastUsedAt: Date.parse('2026-11-27T09:00:00Z') },
      ],
      options: { accounts: accountsFile() },
    });
    ({ server } = admin);
  });
  afterAll(() => admin.close());

  const names = (page: Page) => page.locator('tbody th a').allTextContents();

  it.each([true, false])(
    'finds users by prefixes of their names, with scripts: %s',
    async (scripts) => {
      const { page } = await admin.open('/userapi', { javaScriptEnabled: scripts });
      await page.getByLabel('User name or display name').fill('crowd-00');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('heading', { name: '10 users' }).waitFor();
      expect(page.url()).toContain('/userapi?filter=crowd-00');
      expect(await names(page)).toEqual(Array.from({ length: 10 }, (_, n) => numbered(n)));
      // The file contains all of them.
      await page.getByRole('link', { name: 'Download CSV', exact: true }).waitFor();
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

  it('announces the users with similar names if nobody has the name', async () => {
    const { page } = await admin.open('/userapi');
    await page.getByLabel('User name or display name').fill('crowt');
    const similar = page.locator('#similar');
    expect(await similar.textContent()).toMatch(/^Did you mean: crowd-/);
    const announced = await page.locator('#announcement').textContent();
    expect(announced).toBe(`0 users. ${await similar.textContent()}`);
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

  it('counts days as the calendar of the reader does, and names no model of a key without one', async () => {
    const { page } = await admin.open('/userapi?filter=used', { timezoneId: 'Europe/Berlin' });
    await page.clock.setFixedTime('2026-11-29T06:00:00Z');
    await page.reload();
    expect(await page.locator('tbody td.when').first().textContent()).toBe('2 days ago');
    const models = await page.locator('[name=model] option').allTextContents();
    expect(models.slice(0, 2)).toEqual(['Any', 'Model not reported']);
    expect(models).not.toContain('00000000-0000-0000-0000-000000000000');
    await page.close();
  });

  it('shows in the time zone of the reader when a user was suspended', async () => {
    const { page } = await admin.open('/userapi/user?rp=localhost&name=on-leave', {
      timezoneId: 'Asia/Tokyo',
    });
    await page.locator('summary').getByText('Suspend user…').click();
    await page.locator('[action="/userapi/user/suspension"] [name=reason]').fill('Long leave');
    await pressAndLoad(page, 'Suspend');
    const notice = page.locator('.notice', { hasText: 'Long leave' });
    const time = notice.locator('time');
    expect(await time.getAttribute('title')).toMatch(/UTC$/);
    const at = new Date((await time.getAttribute('datetime')) ?? '');
    const inTokyo = new Intl.DateTimeFormat('en-US', {
      timeStyle: 'short',
      timeZone: 'Asia/Tokyo',
    });
    expect(await time.textContent()).toContain(
      inTokyo.format(at).replace('\u202F', ' ').split(' ')[0],
    );
    await pressAndLoad(page, 'End the suspension');
    await page.close();
  });

  it('folds the filters of a view that a chip names, and unfolds others', async () => {
    const { page } = await admin.open('/userapi?signIn=no');
    const isOpen = () => page.evaluate<boolean>(`document.querySelector('.filters').open`);
    expect(await page.locator('.chips [aria-current]').textContent()).toBe('Cannot sign in');
    expect(await isOpen()).toBe(false);
    await page.goto(`${server.url}/userapi?signIn=no&used=never`);
    expect(await isOpen()).toBe(true);
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
    await pressAndLoad(page, 'Disable all keys');
    expect(await page.getByRole('status').textContent()).toContain('All keys are disabled.');
    expect(await enabledOf('jo/hn?&#+ %2F"')).toEqual([0]);
    await page.close();
  });

  it('disables a key, which then cannot sign in, and enables it', async () => {
    const user = new FidoClient(server.url);
    await user.register('grace', { keypair: { name: 'Blue key' } });
    const { page } = await admin.open('/userapi/user?rp=localhost&name=grace');
    await pressAndLoad(page, 'Disable Blue key');
    expect(await page.getByRole('status').textContent()).toContain('The key is disabled.');
    expect(await lastAuditRow(server)).toMatchObject({
      action: 'credential.disable',
      target: 'grace',
    });
    expect((await user.signIn('grace')).status).toBe(403);
    await pressAndLoad(page, 'Enable Blue key');
    expect((await user.signIn('grace')).status).toBe(200);
    await page.reload();
    expect(await page.locator('.timeline').textContent()).toContain('Signed in');
    await page.close();
  });

  it('copies the text for a support case, without credential IDs', async () => {
    const user = new FidoClient(server.url);
    await user.register('ticket', { keypair: { name: 'Green key' } });
    const { page } = await admin.open('/userapi/user?rp=localhost&name=ticket');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // The button says so for two seconds.
    await Promise.all([
      page.getByRole('button', { name: 'Copied' }).waitFor(),
      page.getByRole('button', { name: 'Copy support summary' }).click(),
    ]);
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
      await pressAndLoad(page, `Delete key ${name}`);
    };
    const deletion = page.getByRole('region', { name: 'Delete this user' });
    const deleteUser = async (name: string) => {
      await deletion.getByLabel(/^Type/).fill(name);
      await pressAndLoad(page, 'Delete user');
    };
    expect(await warned.count()).toBe(0);
    await deleteKey('Second');
    expect(await page.locator('.key h3').allTextContents()).toEqual(['First']);
    // Where it is disabled, and where it is deleted.
    expect(await warned.count()).toBe(2);
    await page.getByText('Delete user…').click();
    await deletion.getByLabel(/^Reason/).fill('has left us');
    await deleteUser('somebody else');
    expect(await page.getByRole('status').textContent()).toContain('Nothing was deleted');
    expect(await enabledOf('two')).toEqual([1]);
    // The reason stands there still.
    await deleteUser('two');
    expect(await page.getByRole('status').textContent()).toContain('The user is deleted');
    expect(await lastAuditRow(server)).toMatchObject({ action: 'user.delete', target: 'two' });
    expect(await page.locator('main').textContent()).toContain('There is no user of this name');
    expect(await page.locator('.timeline').textContent()).toContain('“has left us”');
    await page.close();
  });

  it('lists each user with a disabled key once, page by page', async () => {
    const shop = relyingPartyOf(server, 'localhost');
    const users = Array.from({ length: 55 }, (_, n) => `off${String(n).padStart(2, '0')}`);
    const devices = ['One', 'Two', 'Three'];
    await settle(
      server,
      shop,
      users.map((username) => ({ username, devices })),
    );
    const client = new AdminClient(server.url);
    await client.manage({ type: 'disabledevice', filter: 'off*', device: 'T*' });
    const { page } = await admin.open('/userapi?filter=off');
    await Promise.all([page.waitForEvent('load'), page.getByText('With a disabled key').click()]);
    const seen = await names(page);
    for (let next = page.getByText('Next page'); (await next.count()) > 0;) {
      await Promise.all([page.waitForEvent('load'), next.click()]);
      seen.push(...(await names(page)));
    }
    expect(seen.sort()).toEqual(users);
    const { text } = await client.get('/userapi/users.csv?filter=off&state=disabled');
    expect(text.trim().split('\r\n')).toHaveLength(56);
    await page.close();
  });

  it('disables several users after listing them, and undoes it', async () => {
    const { page } = await admin.open('/userapi?filter=crowd-01');
    for (const n of [10, 11]) await page.getByLabel(`Tick ${numbered(n)}`).check();
    expect(await page.locator('#ticked').textContent()).toBe('2 ticked:');
    await pressAndLoad(page, 'Disable keys…');
    expect(await names(page)).toEqual([numbered(10), numbered(11)]);
    expect(await enabledOf(numbered(10))).toEqual([1]);
    await pressAndLoad(page, 'Disable the keys of 2 users');
    expect(await page.getByRole('status').textContent()).toContain('2 users changed.');
    expect(await enabledOf(numbered(11))).toEqual([0]);
    await pressAndLoad(page, 'Undo');
    expect([await enabledOf(numbered(10)), await enabledOf(numbered(11))]).toEqual([[1], [1]]);
    await page.close();
  });

  it('leads back to the search from a change of several users, also from one that is cancelled', async () => {
    const { page } = await admin.open('/userapi?filter=crowd-01');
    const disable = async () => {
      await page.getByLabel(`Tick ${numbered(10)}`).check();
      await pressAndLoad(page, 'Disable keys…');
    };
    const returns = async (name: string) => {
      const link = page.getByRole('link', { name, exact: true });
      await Promise.all([page.waitForEvent('load'), link.click()]);
      expect(page.url()).toBe(`${server.url}/userapi?filter=crowd-01`);
    };
    await disable();
    await returns('Cancel');
    await disable();
    await pressAndLoad(page, 'Disable the keys of 1 user');
    await pressAndLoad(page, 'Undo');
    await returns('Back to the users');
    await page.close();
  });

  it('keeps ticks while the pages of a view are turned, until the form is sent', async () => {
    const { page } = await admin.open('/userapi?filter=crowd*');
    await page.getByLabel(`Tick ${numbered(3)}`).check();
    await Promise.all([page.waitForEvent('load'), page.click('a[rel="next"]')]);
    expect(await page.locator('#ticked').textContent()).toBe('1 ticked:');
    await page.getByLabel(`Tick ${numbered(55)}`).check();
    await Promise.all([page.waitForEvent('load'), page.click('a[rel="first"]')]);
    expect(await page.getByLabel(`Tick ${numbered(3)}`).isChecked()).toBe(true);
    expect(await page.locator('#ticked').textContent()).toBe('2 ticked:');
    await pressAndLoad(page, 'Disable keys…');
    expect((await names(page)).sort()).toEqual([numbered(3), numbered(55)]);
    await page.goto(`${server.url}/userapi?filter=crowd*`);
    expect(await page.locator('#ticked').textContent()).toBe('With the ticked users:');
    await page.close();
  });

  it.each([
    ['filter=crowd*', 'Delete all 60 matches…'],
    ['filter=crowd', 'Delete all matches…'],
  ])('makes a list of all matches of %s, which deletes nobody yet', async (view, button) => {
    const { page } = await admin.open(`/userapi?${view}`);
    await pressAndLoad(page, button);
    expect(new URL(page.url()).pathname).toBe('/userapi/deletelistusers');
    expect((await page.locator('.figure dd').allTextContents())[0]).toBe('60');
    expect(await enabledOf(numbered(3))).toEqual([1]);
    await page.close();
  });

  it('offers no change of all matches if the page shows them all', async () => {
    const { page } = await admin.open('/userapi?filter=crowd-01');
    expect(await page.getByText(/all.* matches/).count()).toBe(0);
    await page.close();
  });

  it('disables the keys of all matches after listing them, shows the progress, and undoes it', async () => {
    const { page, complaints } = await admin.open('/userapi?filter=crowd*');
    await pressAndLoad(page, 'Disable all 60 matches…');
    expect(await page.locator('h1').textContent()).toBe('Disable the keys of 60 users?');
    expect(await page.locator('tbody tr').count()).toBe(50);
    expect(await enabledOf(numbered(3))).toEqual([1]);
    expect(await barriersOf(page)).toEqual([]);
    await pressAndLoad(page, 'Disable the keys of 60 users');
    await page.getByRole('heading', { name: 'Keys disabled' }).waitFor();
    expect(await enabledOf(numbered(59))).toEqual([0]);
    expect(await barriersOf(page)).toEqual([]);
    await pressAndLoad(page, 'Undo');
    await page.getByRole('heading', { name: 'Disabling undone' }).waitFor();
    expect(await enabledOf(numbered(59))).toEqual([1]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('deletes several users only when their number is typed', async () => {
    const { page } = await admin.open('/userapi?filter=gone', { javaScriptEnabled: false });
    for (const n of [1, 2]) await page.getByLabel(`Tick gone-${n}`).check();
    await pressAndLoad(page, 'Delete users…');
    await page.getByLabel(/^Type/).fill('3');
    await pressAndLoad(page, 'Delete 2 users');
    expect(await page.textContent('main')).toContain('Nothing was changed.');
    await page.getByLabel(/^Type/).fill('2');
    await pressAndLoad(page, 'Delete 2 users');
    await page.goto(`${server.url}/userapi?filter=gone`);
    expect(await names(page)).toEqual(['gone-3']);
    await page.close();
  });

  it('explains a refusal in words by its request ID', async () => {
    const user = new FidoClient(server.url);
    await user.register('alan');
    const begun = await user.beginAuthentication('alan');
    const refused = await user.completeAuthentication(
      user.assert(begun, { clientData: { origin: 'https://evil.example' } }),
    );
    const request = refused.headers.get('x-request-id') ?? '';
    await server.get(RefusalLog).flush();
    const { page } = await admin.open('/userapi/explain');
    await page.getByLabel('Request ID').fill(request);
    await pressAndLoad(page, 'Explain');
    const told = await page.locator('.timeline').textContent();
    expect(told).toContain('The page has an address that is not allowed');
    expect(told).toContain('alan at localhost');
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.locator('.timeline pre').count()).toBe(1);
    expect(await overflowOf(page)).toBe(0);
    await page.close();
  });

  it('shows an auditor no form, the help desk no deletion of users, and finance no users', async () => {
    const user = '/userapi/user?rp=localhost&name=crowd-030';
    const auditor = await admin.open(user, { account: 'auditor' });
    expect(await auditor.page.locator('main form button').count()).toBe(0);
    const helpdesk = await admin.open(user, { account: 'helpdesk' });
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

  async function enabledOf(username: string) {
    const rows = await rowsOf<{ enabled: number }>(
      server,
      `SELECT c.enabled FROM credentials c JOIN users u ON u.id = c.user_id
       WHERE u.username = ? ORDER BY c.registered_at`,
      Buffer.from(username),
    );
    return rows.map(({ enabled }) => enabled);
  }

  async function keysOf(username: string) {
    const rows = await rowsOf<{ id: Buffer }>(
      server,
      `SELECT c.credential_id AS id FROM credentials c JOIN users u ON u.id = c.user_id
       WHERE u.username = ?`,
      Buffer.from(username),
    );
    return rows.map(({ id }) => id.toString('base64url'));
  }
});
