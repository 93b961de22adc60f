import type { Locator, Page } from 'playwright-core';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { adminClient } from '../support/client.js';
import { issueKey } from '../support/application-keys.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, barriersOf, overflowOf, pressAndLoad } from './support/admin-pages.js';

const KEYS = '/tenants/acme/_keys';
const PAGES = [
  '/tenants',
  '/tenants/acme',
  '/tenants/acme/_webhooks',
  '/tenants/acme/acme.example',
  KEYS,
];
const MODEL = 'ee882879-721c-4913-9775-3dfcce97072a';
const LONG = 'an-exceedingly-long-name-of-a-domain.that-does-not-fit.on-a-narrow-screen.example';

describe('the pages of tenants in a browser', () => {
  let server: TestServer;
  let admin: AdminBrowser;
  beforeAll(async () => {
    admin = await AdminBrowser.start();
    ({ server } = admin);
    await server.addRelyingParty('acme', {
      domain: 'acme.example',
      policy: { allow: [MODEL], trust: 'report' },
    });
    await server.addRelyingParty('acme', { domain: LONG });
    await adminClient(server.url).post('/tenantapi/webhooks', {
      tenant: 'acme',
      url: `https://${LONG}/${'path'.repeat(20)}`,
      events: ['registration', 'clone-alarm'],
    });
    const scopes = ['ceremonies', 'users:read', 'users:write', 'tickets'];
    const expiresAt = '2035-01-31';
    for (const more of [{ relyingParties: ['acme.example', LONG], expiresAt }, {}]) {
      await issueKey(server.url, { name: 'web shop', tenant: 'acme', scopes, ...more });
    }
  });
  afterAll(() => admin.close());

  it.each(PAGES.flatMap((path) => [[path, 'light'] as const, [path, 'dark'] as const]))(
    '%s in %s has no axe finding, no CSP error, and fits 360 pixels',
    async (path, colorScheme) => {
      const { page, complaints } = await admin.open(path, { colorScheme });
      expect(await page.locator('main > h1').count()).toBe(1);
      expect(complaints).toEqual([]);
      await page.setViewportSize({ width: 360, height: 720 });
      expect(await overflowOf(page)).toBe(0);
      expect(await barriersOf(page)).toEqual([]);
      await page.close();
    },
  );

  it.each([true, false])(
    'the pages of tenants lead from an empty list to a saved policy, with JavaScript %s',
    async (javaScript) => {
      const { page } = await admin.open('/tenants', { javaScriptEnabled: javaScript });
      const tenant = javaScript ? 'scripted' : 'plain';
      await page.getByLabel('Short name').fill('Not good');
      await pressAndLoad(page, 'Create');
      expect(await page.getByRole('alert').textContent()).toContain('Nothing was changed.');
      expect(await page.getByLabel('Short name').inputValue()).toBe('Not good');
      await page.getByLabel('Short name').fill(tenant);
      await pressAndLoad(page, 'Create');
      expect(await page.getByRole('status').textContent()).toContain('The tenant is created.');
      await page.getByLabel('Domain').fill(`${tenant}.example`);
      await pressAndLoad(page, 'Add');
      await expectInView(page.getByRole('button', { name: 'Save', exact: true }));
      if (javaScript) {
        await page.getByLabel('Find a rule').fill('allowed models');
        // The rule, and one whose hint names it.
        expect(await page.locator('.rules .policy-field:visible').count()).toBe(2);
      } else {
        await page.locator('.rules > summary', { hasText: 'Models' }).click();
      }
      await page.locator('.policy-field > summary').getByText('Allowed models').click();
      const allowed = page.getByRole('group', { name: 'Allowed models' });
      await allowed.getByLabel('Mode').selectOption('Report');
      await allowed.getByLabel('Values').fill('nonsense');
      await pressAndLoad(page, 'Save');
      const wrong = page.getByRole('alert').getByRole('link', { name: 'Allowed models' });
      if (!javaScript) await wrong.click();
      expect(await page.evaluate('document.activeElement.id')).toBe('field-allow');
      await expectInView(allowed);
      expect(await allowed.textContent()).toContain('enter 1 to 500 AAGUIDs');
      expect(await allowed.getByLabel('Values').inputValue()).toBe('nonsense');
      expect(await allowed.getByLabel('Mode').inputValue()).toBe('report');
      await allowed.getByLabel('Values').fill(MODEL);
      await allowed.getByLabel('Find by name').fill('google titan');
      if (!javaScript) await pressAndLoad(page, 'Find among Allowed models');
      await allowed.getByRole('checkbox').first().check();
      await pressAndLoad(page, 'Save');
      expect(await page.getByRole('status').textContent()).toContain('Saved.');
      const [rp] = await server.get(TenancyService).listRelyingParties(tenant);
      const titan = '42b4fb4a-2866-43b2-9bf7-6c6669c2e5d3';
      expect(rp?.policy).toEqual({ allow: { mode: 'report', list: [MODEL, titan] } });
      await page.getByText('Delete relying party…').click();
      await page.getByLabel(`Type ${tenant}.example to confirm`).fill(`${tenant}.example`);
      await pressAndLoad(page, 'Delete relying party');
      expect(new URL(page.url()).pathname).toBe(`/tenants/${tenant}`);
      expect(await page.textContent('main')).toContain('No relying party yet');
      await page.close();
    },
  );

  it('show the trial of a policy as cards on small screens', async () => {
    await new FidoClient(server.url).register('karl.theodor.von-und-zu@example.com');
    const { page } = await admin.open('/tenants/default/localhost');
    await page.getByLabel('Find a rule').fill('allowed models');
    await page.locator('.policy-field > summary').getByText('Allowed models').click();
    const allowed = page.getByRole('group', { name: 'Allowed models' });
    await allowed.getByLabel('Mode').selectOption('Enforce');
    await allowed.getByLabel('Values').fill(MODEL);
    await pressAndLoad(page, 'Try the policy before it counts');
    const such = page.locator('#trial td[data-label="For example"]').first();
    for (const width of [360, 390, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await overflowOf(page)).toBe(0);
      expect(await page.locator('#trial thead').first().isVisible()).toBe(width >= 900);
      expect(await such.isVisible()).toBe(true);
      expect(await barriersOf(page)).toEqual([]);
    }
    await such.getByRole('link').click();
    await page.waitForURL(/userapi\/user/);
    await page.goBack();
    expect(await such.isVisible()).toBe(true);
    expect(await page.locator('[name="allow"]').inputValue()).toBe(MODEL);
    await page.close();
  });

  it('issue and revoke a key without axe findings at any width', async () => {
    const { page } = await admin.open(KEYS, { viewport: { width: 390, height: 900 } });
    await page.getByLabel('Name', { exact: true }).fill('till');
    await pressAndLoad(page, 'Issue');
    expect(await page.getByText('Tick at least one.').count()).toBe(1);
    await page.getByLabel('Issue tickets for a registration').check();
    await page.getByLabel('acme.example', { exact: true }).check();
    await pressAndLoad(page, 'Issue');
    expect(await page.getByLabel('Secret').inputValue()).toMatch(/^sfk_[\w-]{49}$/);
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await overflowOf(page)).toBe(0);
      expect(await barriersOf(page)).toEqual([]);
    }
    await page.getByText('Revoke… till').click();
    await pressAndLoad(page, 'Revoke till');
    expect(await page.getByRole('status').textContent()).toContain('The key is revoked.');
    expect(await page.getByText('till').count()).toBe(0);
    await page.close();
  });

  it('the pages of tenants have no axe finding when a form is shown again', async () => {
    const { page } = await admin.open('/tenants/acme');
    await page.getByLabel('Domain').fill('127.0.0.1');
    await pressAndLoad(page, 'Add');
    expect(await page.getByLabel('Domain').getAttribute('aria-invalid')).toBe('true');
    expect(await barriersOf(page)).toEqual([]);
    await page.close();
  });

  it('move the focus to the wrong field when a form is shown again', async () => {
    const { page } = await admin.open('/adoption?rp=acme.example');
    await page.getByLabel('Share of users').fill('90');
    await pressAndLoad(page, 'Save the target');
    expect(await page.evaluate('document.activeElement.name')).toBe('by');
    await expectInView(page.getByLabel('By', { exact: true }));
    await page.close();
  });

  describe('two administrators of one tenant', () => {
    const PARTY = '/tenants/acme/acme.example';
    /** Two browsers that have the same page open. */
    const both = async (path: string) => {
      const here = (await admin.open(path)).page;
      const there = (await admin.open(path, { colorScheme: 'dark' })).page;
      for (const page of [here, there]) await unfold(page);
      return { here, there, close: () => Promise.all([here.close(), there.close()]) };
    };
    const unfold = (page: Page) =>
      page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
    const verification = (page: Page) => page.locator('select[name="userVerification"]');
    const nameIn = (page: Page) => page.locator('#field-name');
    const stored = async () => {
      const rps = await server.get(TenancyService).listRelyingParties('acme');
      return rps.find(({ domain }) => domain === 'acme.example');
    };

    it('keep each other’s changes, which the later form shows before it saves', async () => {
      const before = await stored();
      const { here, there, close } = await both(PARTY);
      await verification(there).selectOption('required');
      await there.locator('select[name="userVerification.mode"]').selectOption('enforce');
      await pressAndLoad(there, 'Save');
      await nameIn(here).fill('Acme sign-in');
      await pressAndLoad(here, 'Save');
      const alert = await here.getByRole('alert').textContent();
      expect(alert).toContain('this was changed meanwhile');
      expect(alert).toContain('User verification');
      expect(alert).not.toContain('yours');
      expect((await stored())?.name).toBe(before?.name);
      expect(await verification(here).inputValue()).toBe('required');
      expect(await nameIn(here).inputValue()).toBe('Acme sign-in');
      expect(await barriersOf(here)).toEqual([]);
      await here.setViewportSize({ width: 360, height: 720 });
      expect(await overflowOf(here)).toBe(0);
      await pressAndLoad(here, 'Save');
      expect(await here.getByRole('status').textContent()).toContain('Saved.');
      expect(await stored()).toMatchObject({
        name: 'Acme sign-in',
        policy: { userVerification: 'required', trust: 'report' },
      });
      await close();
    });

    it('two administrators of one tenant see both values if both changed the same one', async () => {
      const { here, there, close } = await both(PARTY);
      await nameIn(there).fill('Theirs');
      await pressAndLoad(there, 'Save');
      await nameIn(here).fill('Ours');
      await pressAndLoad(here, 'Save');
      const alert = await here.getByRole('alert').textContent();
      expect(alert).toContain('→ Theirs (by admin) · yours: Ours');
      await pressAndLoad(here, 'Save');
      expect((await stored())?.name).toBe('Ours');
      await close();
    });

    it('rename a tenant once each', async () => {
      const { here, there, close } = await both('/tenants/acme');
      for (const [page, name] of [
        [there, 'Acme one'],
        [here, 'Acme two'],
      ] as const) {
        await page.getByLabel('Display name').fill(name);
        await pressAndLoad(page, 'Rename');
      }
      const alert = await here.getByRole('alert').textContent();
      expect(alert).toContain('→ Acme one (by admin) · yours: Acme two');
      await pressAndLoad(here, 'Rename');
      expect((await here.locator('h1').textContent())?.trim()).toBe('Acme two');
      await close();
    });
  });

  /** Within the part of the page that is shown, without scrolling to it. */
  async function expectInView(found: Locator) {
    const { y = -1, height = 0 } = (await found.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + Math.min(height, 40)).toBeLessThanOrEqual(found.page().viewportSize()?.height ?? 0);
  }
});
