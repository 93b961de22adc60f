import type { Page } from 'playwright-core';
import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { countOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, barriersOf, overflowOf } from './support/admin-pages.js';

/** A key of a maker who is in the public list of names. */
const MODEL = 'ee882879-721c-4913-9775-3dfcce97072a';

describe('a lost model in a browser', () => {
  let server: TestServer;
  let admin: AdminBrowser;

  beforeAll(async () => {
    const model = Buffer.from(MODEL.replaceAll('-', ''), 'hex');
    const users = Array.from({ length: 393 }, (_, n) => ({ username: `holder-${n}`, model }));
    admin = await AdminBrowser.start({ users });
    ({ server } = admin);
    // It would end the findings that are stored here some seconds after the start.
    await server.get(FindingsJob).onModuleDestroy();
    await rowsOf(
      server,
      `INSERT INTO findings (id, tenant_id, relying_party_id, rule, code, action, found_at)
       SELECT id, tenant_id, relying_party_id, 'block', 'E0038R', 'report', 1790000000000
       FROM credentials`,
    );
  });
  afterAll(() => admin.close());

  const press = async (page: Page, name: string) => {
    // The page of a job loads itself once more when it has ended.
    await page.waitForLoadState();
    await Promise.all([
      page.waitForEvent('load'),
      page.getByRole('main').getByRole('button', { name }).click(),
    ]);
  };
  const enabled = () => countOf(server, 'credentials WHERE enabled = 1');

  it('a lost model has its keys disabled with three clicks from the first page, and enabled again with one', async () => {
    const { page, complaints } = await admin.open('/');
    const follow = (link: string) =>
      Promise.all([page.waitForEvent('load'), page.locator(link).first().click()]);
    await follow('nav a[href="/userapi/aaguid"]');
    await follow(`main a[href="/userapi/aaguid/${MODEL}"]`);
    await press(page, 'Disable the 393 keys of this model');
    await page.getByRole('heading', { name: 'Keys disabled' }).waitFor();
    expect(await enabled()).toBe(0);
    expect(await page.locator('dl.figures').first().innerText()).toContain('393');
    await press(page, 'Undo');
    await page.getByRole('heading', { name: 'Undone', exact: true }).waitFor();
    expect(await enabled()).toBe(393);
    await press(page, 'Block it everywhere');
    expect(await page.getByRole('status').innerText()).toContain(
      '1 relying party blocks the model',
    );
    await press(page, 'Block it no longer');
    expect(complaints).toEqual([]);
  });

  it.each([390, 768, 1280])(
    'a lost model has pages without axe findings at %i px',
    async (width) => {
      for (const path of [
        `/userapi/aaguid/${MODEL}`,
        '/findings',
        '/findings/keys?kind=rule&rule=block&rp=localhost',
      ]) {
        const { page } = await admin.open(path);
        await page.setViewportSize({ width, height: 900 });
        expect(await barriersOf(page)).toEqual([]);
        expect([path, await overflowOf(page)]).toEqual([path, 0]);
        await page.close();
      }
    },
  );
});
