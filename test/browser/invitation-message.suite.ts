import { AdminBrowser, barriersOf, overflowOf } from './support/admin-pages.js';

const USER = '/userapi/user?rp=localhost&name=ada%40example.com';
/** The reader of the page is in Tokyo, where there is no summer time. */
const IN_TOKYO = { timezoneId: 'Asia/Tokyo', viewport: { width: 390, height: 800 } };

describe('the message with an invitation', () => {
  let admin: AdminBrowser;
  beforeAll(async () => {
    admin = await AdminBrowser.start({ users: ['ada@example.com'] });
  });
  afterAll(() => admin.close());

  it.each([
    [
      'en',
      'Make the link',
      'Set up your key for localhost',
      /works until .* Japan Standard Time\.$/,
    ],
    [
      'de',
      'Link erstellen',
      'Richten Sie Ihren Schlüssel für localhost ein',
      /gilt bis .* Japanische Normalzeit\.$/,
    ],
    [
      'fr',
      'Créer le lien',
      'Configurez votre clé pour localhost',
      /valable jusqu’au .* heure normale du Japon\.$/,
    ],
  ])(
    'is in %s on a page in %s, and a mail begins with it',
    async (locale, make, subject, until) => {
      const { page } = await admin.open(USER, { ...IN_TOKYO, locale });
      await page.getByRole('button', { name: make }).click();
      const message = page.locator('#message');
      await message.waitFor();
      const text = await message.innerText();
      expect(text).toMatch(until);
      expect(text).toContain(await page.locator('#link').innerText());
      const mail = new URL((await page.locator('[href^="mailto:"]').getAttribute('href')) ?? '');
      expect(mail.pathname).toBe('ada@example.com');
      expect(mail.searchParams.get('subject')).toBe(subject);
      expect(mail.searchParams.get('body')).toBe(text.replaceAll('\n', '\r\n'));
      expect(await overflowOf(page)).toBe(0);
      expect(await barriersOf(page)).toEqual([]);
      await page.close();
    },
  );

  it('is in the language that the form chooses, whatever the page’s', async () => {
    const { page } = await admin.open(USER, { ...IN_TOKYO, locale: 'en' });
    await page.getByLabel('Language of the message').selectOption('fr');
    await page.getByRole('button', { name: 'Make the link' }).click();
    const message = page.locator('#message');
    await message.waitFor();
    expect(await message.innerText()).toMatch(/^Avec ce lien[^]* heure normale du Japon\.$/);
    expect(await page.locator('pre[lang="fr"]').count()).toBe(1);
    expect(await page.locator('h1').innerText()).toBe('Invitation for ada@example.com');
    await page.close();
  });

  it('names UTC where the form has no script that knows the zone', async () => {
    const { page } = await admin.open(USER, { ...IN_TOKYO, locale: 'en' });
    await page.evaluate(`document.querySelector('input[data-zone]').value = ''`);
    await page.getByRole('button', { name: 'Make the link' }).click();
    const message = page.locator('#message');
    await message.waitFor();
    expect(await message.innerText()).toMatch(/works until .* UTC\.$/);
    await page.close();
  });
});
