import { browserAndSystem } from './browser-name.js';

const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

describe('the name of a browser', () => {
  it('names a browser without its version, and no other program', () => {
    expect(browserAndSystem(`Mozilla/5.0 (iPhone) ${WEBKIT} Version/18.5 Safari/605.1.15`)).toBe(
      'Safari on iOS',
    );
    expect(browserAndSystem('curl/8.5.0 <script>')).toBeNull();
    expect(browserAndSystem(`Firefox/1 ${'x'.repeat(400)}`)).toBeNull();
  });
});
