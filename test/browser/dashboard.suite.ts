import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { adminClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser } from './support/admin-pages.js';

const HOUR_MS = 3_600_000;

describe('the dashboard', () => {
  let server: TestServer;
  let admin: AdminBrowser;

  beforeAll(async () => {
    admin = await AdminBrowser.start({ options: { accounts: accountsFile() } });
    ({ server } = admin);
    // Several figures are those of today.
    server.clock.toMiddleOfMonth();
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    await signInAndCopy(server);
  });
  afterAll(() => admin.close());

  it('shows users, keys, sign-ins and refusals, with links', async () => {
    await adminClient(server.url).post('/tenantapi/tenants', { tenant: 'globex' });
    const { page, complaints } = await admin.open('/');
    const tiles = await page.locator('.tiles .value').allTextContents();
    expect(tiles).toEqual(['3', '33.3%', '1', '0', '1', '1', 'Never']);
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.tiles a')].map(({ pathname }) => pathname)`,
    );
    const users = ['/userapi', '/userapi', '/userapi'];
    expect(links).toEqual(['/', '/userapi/explain', ...users, '/findings', '/status']);
    expect(await page.textContent('main')).toContain('A key may have been copied.');
    expect(await page.locator('#refusals').textContent()).toContain('The key may have been copied');
    expect(await page.locator('#days-chart canvas').count()).toBe(1);
    expect(await page.locator('td.target').allTextContents()).toContain('globex');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows the newest day in the legend of a chart until somebody points at another', async () => {
    const { page } = await admin.open('/');
    const values = async () =>
      (await page.locator('#days-chart .u-value').allTextContents()).slice(1);
    expect(await values()).toEqual(['3', '1']);
    await page.locator('#days-chart .u-over').hover({ position: { x: 5, y: 5 } });
    await eventually(async () => expect(await values()).toEqual(['0', '0']));
    await page.mouse.move(0, 0);
    await eventually(async () => expect(await values()).toEqual(['3', '1']));
    await page.close();
  });

  it('hides the first steps for good at the press of a button', async () => {
    const { page, complaints } = await admin.open('/');
    const steps = page.locator('#first-steps');
    expect(await steps.locator('summary').textContent()).toContain('1 of 5 done.');
    await steps.locator('summary').click();
    expect(await steps.getByRole('listitem').count()).toBe(5);
    await steps.getByRole('button', { name: 'Hide this list' }).click();
    await page.getByText('The first steps are hidden.').waitFor();
    await page.reload();
    expect(await steps.count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('offers each chart as a table and as a file', async () => {
    const client = adminClient(server.url);
    const [days, refusals, models] = await Promise.all(
      ['days', 'refusals', 'models'].map((name) => client.get(`/dashboard/${name}.csv`)),
    );
    const today = server.clock.today();
    expect(days?.text.trim().split('\r\n')).toHaveLength(31);
    expect(days?.text.trim().split('\r\n').at(-1)).toBe(`"${today}","1","3"`);
    expect(refusals?.text).toContain('"E0035R","1"');
    expect(models?.text.trim().split('\r\n')).toHaveLength(2);
    const { page } = await admin.open('/', { javaScriptEnabled: false });
    await page.getByText('As a table').click();
    const shown = new Date(today).toLocaleDateString('en-GB', { dateStyle: 'long' });
    expect(await page.locator('#days-table tr').last().textContent()).toContain(shown);
    await page.close();
  });

  it('shows an account of one tenant only that tenant', async () => {
    const { text } = await clientOf(server.url, 'acme-auditor').get('/', { accept: 'text/html' });
    expect(text).toContain('acme.example');
    expect(text).not.toContain('localhost</bdi>');
    expect(text).not.toContain('may have been copied');
    const { text: models } = await clientOf(server.url, 'acme-finance').get(
      '/dashboard/models.csv',
    );
    expect(models.trim()).toBe('"model","aaguid","keys"');
  });

  it('disables all copied keys of the inbox with one button, and undoes it', async () => {
    const { page, complaints } = await admin.open('/findings');
    const press = (name: string) =>
      Promise.all([page.waitForEvent('load'), page.getByRole('button', { name }).click()]);
    expect(await page.getByRole('button', { name: /Disable/ }).count()).toBe(1);
    await press('Disable the copied key');
    expect(await page.getByRole('status').innerText()).toContain('1 user');
    expect(await countOf(server, 'credentials WHERE enabled = 0')).toBe(1);
    await press('Undo');
    expect(await countOf(server, 'credentials WHERE enabled = 0')).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('accepts a finding until the beginning of a day of the reader’s time zone', async () => {
    const timezoneId = 'America/Los_Angeles';
    const { page, complaints } = await admin.open('/findings', { timezoneId });
    const row = page.locator('#copied tbody tr').first();
    await row.getByText('Assign or accept…').click();
    expect(await row.locator('[data-zone]').allTextContents()).toContain(timezoneId);
    await row.getByLabel('Reason').fill('replaced next week');
    await row.getByLabel('Accept until').fill('2099-01-31');
    await row.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('The finding is accepted.').waitFor();
    const [stored] = await rowsOf(server, 'SELECT accepted_until FROM finding_decisions');
    expect(stored).toEqual({ accepted_until: Date.parse('2099-01-31T08:00:00Z') });
    await page.goto(`${server.url}/findings?state=past`);
    expect(await page.locator('#copied').textContent()).toContain('until Jan 31, 2099, 12:00');
    await page.getByText('Assign or accept…').click();
    await page.getByRole('button', { name: 'Open again' }).click();
    await page.getByText('The finding is open again.').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows no sign-ins of yesterday, but still the copied key', async () => {
    const later = await TestServer.start();
    await signInAndCopy(later);
    later.clock.advance(30 * HOUR_MS);
    // The server keeps a quick count only for a moment.
    await eventually(async () => {
      const { text } = await adminClient(later.url).get('/', { accept: 'text/html' });
      expect(text).toMatch(/Sign-ins today \(UTC\)<\/span>\s*<span class="value">0</);
      expect(text).toContain('The key may have been copied');
    });
    await later.stop();
  });
});

/** Three sign-ins, one of a copied key, and one of an unknown user. */
async function signInAndCopy(server: TestServer): Promise<void> {
  const ada = new FidoClient(server.url);
  await ada.register('ada');
  for (let n = 0; n < 3; n += 1) await ada.signIn('ada');
  await ada.signIn('ada', { signCount: 1 });
  await ada.beginAuthentication('nobody');
  await server.get(RefusalLog).flush();
}
