import { browserFamily } from './ceremony-tally.js';

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

it.each([
  ['chrome', CHROME],
  ['edge', `${CHROME} Edg/140.0.0.0`],
  ['opera', `${CHROME} OPR/120.0.0.0`],
  ['samsung', CHROME.replace('Chrome', 'SamsungBrowser/28.0 Chrome')],
  ['firefox', 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ['chrome', 'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 CriOS/140.0 Mobile/15E148 Safari/604.1'],
  [
    'safari',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15',
  ],
  ['other', 'curl/8.5.0'],
  ['other', undefined],
  ['other', `Firefox/1 ${'x'.repeat(400)}`],
])('reads the browser family %s from the User-Agent %s', (family, program) => {
  expect(browserFamily(program)).toBe(family);
});
