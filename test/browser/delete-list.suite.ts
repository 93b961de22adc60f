import type { Page } from 'playwright-core';
import { UploadStore } from '../../src/user-admin/lists/upload-store.js';
import { ANYBODY } from '../../src/platform/access/accounts/account.js';
import { countOf, lastAuditRow } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, barriersOf, overflowOf, pressAndLoad } from './support/admin-pages.js';

const HOSTILE = `<img src=x onerror=document.title='owned'>`;

describe('the page that deletes a list of users', () => {
  let server: TestServer;
  let admin: AdminBrowser;

  beforeAll(async () => {
    admin = await AdminBrowser.start({
      users: [
        ...['leaver-1', 'leaver-2', 'stays', 'Kim.Case', 'KIM.case', HOSTILE],
        ...Array.from({ length: 40 }, (_, n) => `many-${n}`),
      ],
    });
    ({ server } = admin);
  });
  afterAll(() => admin.close());

  const upload = async (page: Page, lines: readonly string[], name = 'leavers.txt') => {
    await page.getByLabel('List of user names').setInputFiles({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(lines.join('\n')),
    });
    await pressAndLoad(page, 'Upload and preview');
  };
  const left = (prefix: string) =>
    countOf(server, 'users WHERE username >= ? AND username < ?', ...range(prefix));
  const range = (prefix: string) => [Buffer.from(prefix), Buffer.from(`${prefix}~`)];
  const fileOf = async (page: Page, link: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByText(link).click(),
    ]);
    return Buffer.concat(await (await download.createReadStream()).toArray()).toString();
  };

  it('shows the users, asks for their number, deletes them and offers the result', async () => {
    const { page, complaints } = await admin.open('/userapi/deletelistusers');
    await upload(page, ['leaver-1', 'leaver-2', 'unknown', 'stay*', 'not\u200ba name']);
    expect(await page.locator('.figure dd').allTextContents()).toEqual(['2', '2', '1']);
    expect(await left('leaver')).toBe(2);
    expect(await page.locator('tbody th bdi').allTextContents()).toEqual([
      ...['unknown', 'stay*', 'not‹U+200B›a name'],
      ...['leaver-1', 'leaver-2'],
    ]);
    expect(await fileOf(page, 'Download all lines')).toContain('"1","leaver-1","found","1",""\r\n');

    await page.getByLabel(/^Type/).fill('3');
    await page.getByLabel(/^Reason/).fill('left the firm');
    await pressAndLoad(page, 'Delete 2 users');
    expect(await page.locator('.notice.bad').textContent()).toContain('Nothing was deleted.');
    expect(await page.getByLabel(/^Reason/).inputValue()).toBe('left the firm');
    expect(await left('leaver')).toBe(2);

    await page.getByLabel(/^Type/).fill('2');
    await pressAndLoad(page, 'Delete 2 users');
    await page.getByRole('heading', { name: 'Done' }).waitFor();
    expect(await page.locator('.figure dd').allTextContents()).toEqual(['2', '2', '2', '1']);
    expect([await left('leaver'), await left('stays')]).toEqual([0, 1]);
    expect(await fileOf(page, 'Download the result')).toContain('"1","leaver-1","deleted","1"\r\n');
    expect(complaints).toEqual([]);
    expect((await lastAuditRow(server, 'users.delete-list')).detail).toEqual({
      users: 2,
      confirmed: true,
      reason: 'left the firm',
    });
    await page.close();
  });

  it('lets the operator select users whose names differ only in case', async () => {
    const { page, complaints } = await admin.open('/userapi/deletelistusers');
    await upload(page, ['kim.case', 'STAYS', 'nobody']);
    expect(await page.locator('.figure dd').allTextContents()).toEqual(['0', '3', '0']);
    expect(await fileOf(page, 'Download all lines')).toContain(
      '"1","kim.case","missing","0","KIM.case Kim.Case"',
    );
    expect(await barriersOf(page)).toEqual([]);
    await page.getByLabel('Kim.Case', { exact: true }).check();
    await pressAndLoad(page, 'Put the ticked users on the list');
    expect(await page.locator('.figure dd').allTextContents()).toEqual(['1', '3', '0']);
    expect(await page.getByText('On the list', { exact: true }).count()).toBe(1);
    await page.getByLabel(/^Type/).fill('1');
    await pressAndLoad(page, 'Delete 1 user');
    await page.getByRole('heading', { name: 'Done' }).waitFor();
    expect([await left('Kim.'), await left('KIM.'), await left('stays')]).toEqual([0, 1, 1]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows markup in names as text, without axe findings at 360 px', async () => {
    const { page, complaints } = await admin.open('/userapi/deletelistusers');
    await upload(page, [HOSTILE, `${HOSTILE}{{x}}`, 'a\u202Eb'], `../../${HOSTILE}\u0000.csv`);
    expect(await page.locator('tbody bdi').allTextContents()).toEqual([
      `${HOSTILE}{{x}}`,
      'a‹U+202E›b',
      HOSTILE,
    ]);
    expect(await page.locator('main img').count()).toBe(0);
    expect(complaints).toEqual([]);
    expect(await barriersOf(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 720 });
    expect(await overflowOf(page)).toBe(0);
    await page.close();
  });

  it('stops and continues a deletion without scripts', async () => {
    const { page } = await admin.open('/userapi/deletelistusers', { javaScriptEnabled: false });
    await upload(
      page,
      Array.from({ length: 40 }, (_, n) => `many-${n}`),
    );
    const id = new URL(page.url()).searchParams.get('upload') ?? '';
    const store = server.get(UploadStore);
    const list = await store.find(id, { ...ANYBODY, name: 'admin' });
    if (!list) throw new Error('The list is not there.');
    await store.enter(list, 'stopped');
    await page.reload();
    expect(await page.getByRole('heading', { name: 'Stopped' }).count()).toBe(1);
    expect(await left('many')).toBe(40);
    await pressAndLoad(page, 'Go on with 40');
    // The page reloads itself until the deletion has ended.
    await page.getByRole('heading', { name: 'Done' }).waitFor();
    expect(await left('many')).toBe(0);
    await page.close();
  });

  it('reports that its figures are old while no server answers, and continues afterwards', async () => {
    const { page } = await admin.open('/userapi/deletelistusers');
    await upload(page, ['stays']);
    const id = new URL(page.url()).searchParams.get('upload') ?? '';
    const store = server.get(UploadStore);
    const list = await store.find(id, { ...ANYBODY, name: 'admin' });
    if (!list) throw new Error('The list is not there.');
    await store.enter(list, 'deleting');
    await page.reload();
    await page.context().setOffline(true);
    const gone = page.getByText('This server no longer answers.');
    await gone.waitFor();
    expect(await page.getByRole('heading', { name: 'Deleting…' }).count()).toBe(1);
    await page.context().setOffline(false);
    await gone.waitFor({ state: 'detached' });
    await store.enter(list, 'stopped');
    await page.getByRole('heading', { name: 'Stopped' }).waitFor();
    expect(await left('stays')).toBe(1);
    await page.close();
  });

  it('shows no list of another account', async () => {
    const { page } = await admin.open('/userapi/deletelistusers?upload=AAAA');
    expect(await page.textContent('main')).toContain('lists are kept for an hour');
    await page.close();
  });
});
