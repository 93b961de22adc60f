import { FurnishedPages } from './support/furnished-pages.js';

const MOST_BYTES = 100_000;
/** Its texts are the longest. */
const LOCALE = 'fr';

describe('the weight of every page', () => {
  let pages: FurnishedPages;
  beforeAll(async () => {
    pages = await FurnishedPages.open();
  });
  afterAll(() => pages.close());

  it('is at most 100 KB with all files and headers, for a browser that has none of them', async () => {
    const { page } = await pages.admin.open('/health/live', { locale: LOCALE });
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));

    const weights: Record<string, number> = {};
    for (const path of new Set(pages.states.map((state) => state.path))) {
      bytes = 0;
      await page.goto(pages.server.url + path, { waitUntil: 'load' });
      await page.evaluate('document.fonts.ready.then(() => 0)');
      weights[path] = bytes;
    }
    const heavy = Object.entries(weights).filter(([, bytes]) => bytes > MOST_BYTES);
    expect(heavy).toEqual([]);
    expect(Math.min(...Object.values(weights))).toBeGreaterThan(MOST_BYTES / 4);
  });
});
