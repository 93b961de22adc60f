import type { Page } from 'playwright-core';
import { adminClient } from '../support/client.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser } from './support/admin-pages.js';

const USER = '/userapi/user?name=ada&rp=localhost';

/** Clicks each button once more, at once. */
const TWO_CLICKS = `document.addEventListener('click', (event) => {
  const button = event.target.closest('button[type="submit"]');
  if (event.isTrusted && button) setTimeout(() => button.click());
})`;

describe('a value that a page shows once', () => {
  let server: TestServer;
  let admin: AdminBrowser;
  beforeAll(async () => {
    admin = await AdminBrowser.start({ users: ['ada'] });
    ({ server } = admin);
    const { page } = await admin.open('/console/accounts');
    await createAccount(page, 'judy');
    await page.goto(`${server.url}/tenants/default/_webhooks`);
    await addWebhook(page);
    await page.close();
  });
  afterAll(() => admin.close());

  it.each([
    ['invitation.issue', USER, (page: Page) => submit(page, 'Make the link'), USER],
    ['application-key.issue', '/tenants/default/_keys', issueKey, '/tenants/default/_keys'],
    ['webhook.create', '/tenants/default/_webhooks', addWebhook, '/tenants/default/_webhooks'],
    ['account.create', '/console/accounts', createAccount, '/console/accounts'],
    ['account.reset', '/console/accounts/judy', resetAccount, '/console/accounts/judy'],
  ])('%s: is not made again by a reload', async (action, path, make, again) => {
    const { page } = await admin.open(path);
    const before = await rowsWith(action);
    await make(page);
    expect(await rowsWith(action)).toBe(before + 1);
    expect(await page.getByRole('button', { name: 'Deutsch' }).isVisible()).toBe(false);
    await page.reload();
    expect(page.url()).toBe(server.url + again);
    expect(await rowsWith(action)).toBe(before + 1);
    await page.close();
  });

  it.each([
    ['application-key.issue', '/tenants/default/_keys', issueKey],
    ['webhook.create', '/tenants/default/_webhooks', addWebhook],
    ['webhook.rotate', '/tenants/default/_webhooks', (page: Page) => submit(page, 'New secret')],
    ['account.create', '/console/accounts', (page: Page) => createAccount(page, 'ivan')],
  ])('%s: is made once by two clicks', async (action, path, make) => {
    const { page } = await admin.open(path);
    await page.evaluate(TWO_CLICKS);
    const before = await rowsWith(action);
    await make(page);
    expect(await page.locator('.secret').count()).toBe(1);
    // A keyboard and a screen reader begin there.
    expect(await page.locator('[role="status"]:focus').count()).toBe(1);
    expect(await rowsWith(action)).toBe(before + 1);
    expect(await copied(page)).toBe(await shownIn(page));
    await page.close();
  });

  function submit(page: Page, name: string) {
    return Promise.all([
      page.waitForEvent('load'),
      page.getByRole('button', { name, exact: true }).first().click(),
    ]);
  }

  async function rowsWith(action: string) {
    const { body } = await adminClient(server.url).get(`/userapi/audit?action=${action}`);
    return (body['entries'] as unknown[]).length;
  }

  function shownIn(page: Page) {
    return page.evaluate(
      `(({ value, textContent }) => value ?? textContent)(document.querySelector('.secret'))`,
    );
  }

  async function copied(page: Page) {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // The button says so for two seconds.
    await Promise.all([
      page.getByText('Copied').waitFor(),
      page.getByRole('button', { name: 'Copy', exact: true }).click(),
    ]);
    return page.evaluate<string>('navigator.clipboard.readText()');
  }

  async function issueKey(page: Page) {
    await page.getByLabel('Name', { exact: true }).fill('till');
    await page.getByLabel('Find users, look up lists').check();
    await submit(page, 'Issue');
  }

  async function addWebhook(page: Page) {
    await page.getByLabel('Address', { exact: true }).fill('https://hooks.example.com/');
    await page.getByLabel('registration', { exact: false }).first().check();
    await submit(page, 'Add');
  }

  async function createAccount(page: Page, name = 'heidi') {
    await page.getByLabel('Name', { exact: true }).fill(name);
    await submit(page, 'Create');
  }

  async function resetAccount(page: Page) {
    await page.getByText('Reset…').click();
    await submit(page, 'Reset');
  }
});
