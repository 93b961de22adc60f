import { AuditTrail } from '../../src/audit/audit-trail.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser } from './support/admin-pages.js';
import { contrastOf } from './support/contrast.js';

const PHONE = { width: 390, height: 844 };

describe('every page (WCAG 2.2 AA, beyond what axe checks)', () => {
  let server: TestServer;
  let admin: AdminBrowser;

  beforeAll(async () => {
    admin = await AdminBrowser.start();
    ({ server } = admin);
    const ada = new FidoClient(server.url);
    expect((await ada.register('ada')).status).toBe(200);
    await server.get(AuditTrail).append({
      account: 'admin',
      role: 'admin',
      address: '2001:db8:85a3:8d3:1319:8a2e:370:7348',
      action: 'relying-party.change',
      target: 'a-long-name.of-a-relying-party.example',
      result: 'ok',
      requestId: 'r1',
    });
  });
  afterAll(() => admin.close());

  it.each(['light', 'dark'] as const)(
    '§1.4.11: borders of fields and buttons and the focus ring have a contrast of 3 : 1, %s',
    async (colorScheme) => {
      const { page } = await admin.open('/userapi/audit', { colorScheme });
      for (const field of ['input[name="account"]', 'select']) {
        expect(await contrastOf(page, field, 'border-top-color')).toBeGreaterThanOrEqual(3);
      }
      await page.keyboard.press('Tab');
      for (const target of ['.site-header nav a', 'input[name="account"]', '.search button']) {
        await page.locator(target).first().focus();
        expect(await contrastOf(page, `${target}:focus`, 'outline-color')).toBeGreaterThanOrEqual(
          3,
        );
      }
      await page.close();

      const user = await admin.open('/userapi/user?rp=localhost&name=ada', { colorScheme });
      const button = 'button.secondary';
      expect(await contrastOf(user.page, button, 'border-top-color')).toBeGreaterThanOrEqual(3);
      await user.page.close();
    },
  );

  it('shows the focus in forced colours (§2.4.7)', async () => {
    const { page } = await admin.open('/userapi', { forcedColors: 'active' });
    await page.keyboard.press('Tab');
    for (const target of ['.site-header nav a', '#filter', '.search button']) {
      await page.locator(target).first().focus();
      const ring = await page.evaluate<[string, string]>(`(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
        return [outlineStyle, outlineWidth];
      })()`);
      expect(ring).toEqual(['solid', '2px']);
    }
    await page.close();
  });

  it('every page has a title that contains the user’s name if it shows a user (§2.4.2)', async () => {
    const { page } = await admin.open('/userapi/user?rp=localhost&name=ada');
    expect(await page.title()).toBe('ada · Users · ServiceFido');
    await page.close();
  });

  it('moves the focus to the result after a change (§2.4.3)', async () => {
    const { page } = await admin.open('/userapi/user?rp=localhost&name=ada');
    for (const name of [/^Disable /, /^Enable (?!all)/]) {
      await Promise.all([
        page.waitForEvent('load'),
        page.getByRole('button', { name }).first().click(),
      ]);
      const focused = page.locator(':focus');
      expect(await focused.getAttribute('role')).toBe('status');
      expect(await focused.textContent()).toContain('The key is');
    }
    await page.close();
  });

  it.each(['/', '/userapi/audit', '/tenants', '/tenants/default'])(
    '§1.4.10: the tables of %s need no sideways scrolling on a phone',
    async (path) => {
      const { page } = await admin.open(path, { viewport: PHONE });
      const cut = await page.evaluate<string[]>(`
        [...document.querySelectorAll('.table-scroll')]
          .filter((node) => node.scrollWidth > node.clientWidth)
          .map((node) => node.getAttribute('aria-labelledby'))`);
      expect(cut).toEqual([]);
      await page.close();
    },
  );

  it('every page has a header on a phone that leaves room and shows the current page', async () => {
    const { page } = await admin.open('/userapi/audit', { viewport: PHONE });
    const { height } = (await page.locator('.site-header').boundingBox()) ?? { height: Infinity };
    expect(height).toBeLessThanOrEqual(110);
    const { x, width } = (await page.locator('nav a[aria-current]').boundingBox()) ?? {
      x: -1,
      width: 0,
    };
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(PHONE.width);
    await page.close();
  });
});
