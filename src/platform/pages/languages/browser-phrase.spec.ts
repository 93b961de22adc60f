import { browserPhrase } from './browser-phrase.js';
import { plainText } from './languages.js';

const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

describe('the name of a browser on a page', () => {
  it.each([
    ['Chrome 140 on Linux', 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36'],
    [
      'Edge 139 on Windows',
      'Mozilla/5.0 (Windows NT 10.0) Chrome/139.0.0.0 Safari/537.36 Edg/139.0',
    ],
    ['Firefox 140 on macOS', 'Mozilla/5.0 (Macintosh; rv:140.0) Gecko/20100101 Firefox/140.0'],
    ['Safari 18 on iOS', `Mozilla/5.0 (iPhone) ${WEBKIT} Version/18.5 Mobile/15E148 Safari/604.1`],
    ['Safari 18 on macOS', `Mozilla/5.0 (Macintosh) ${WEBKIT} Version/18.5 Safari/605.1.15`],
    [
      'Chrome 140 on Android',
      'Mozilla/5.0 (Linux; Android 15) Chrome/140.0.0.0 Mobile Safari/537.36',
    ],
    [
      'Samsung Internet 28 on Android',
      'Mozilla/5.0 (Linux; Android 15) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
    ],
    ['A browser on Linux', 'Mozilla/5.0 (X11; Linux) <script>'],
    ['A browser', ''],
  ])('names the browser %s', (name, program) =>
    expect(plainText('en', browserPhrase(program))).toBe(name),
  );

  it('translates the name of a browser', () => {
    const edge = 'Mozilla/5.0 (Windows NT 10.0) Chrome/139.0.0.0 Safari/537.36 Edg/139.0';
    expect(plainText('de', browserPhrase(edge))).toBe('Edge 139 unter Windows');
  });
});
