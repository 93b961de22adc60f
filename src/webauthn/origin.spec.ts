import { originAllowed } from './origin.js';

const LIST = ['https://example.com'];

describe('originAllowed', () => {
  it('accepts an origin of the list, to the letter', () => {
    expect(originAllowed('https://example.com', LIST)).toBe(true);
    expect(originAllowed('https://example.com', [])).toBe(false);
  });

  it.each(['https://*.example.com', 'http://localhost:*'])(
    'never takes the pattern %s itself for an origin',
    (pattern) => expect(originAllowed(pattern, [pattern])).toBe(false),
  );

  it.each([
    ['C19: another scheme', ['http://example.com', 'wss://example.com', 'ftp://example.com']],
    [
      'C20: another port',
      ['https://example.com:8443', 'https://example.com:0', 'https://example.com:99999'],
    ],
    ['C21: the default port written out', ['https://example.com:443']],
    ['C22: a subdomain', ['https://a.example.com']],
    ['C23: the parent domain', ['https://com']],
    [
      'C24: look-alikes',
      ['https://example.com.evil.com', 'https://evilexample.com', 'https://example-com'],
    ],
    ['C25: a trailing dot', ['https://example.com.']],
    ['C26: capitals', ['HTTPS://EXAMPLE.COM', 'https://Example.com']],
    ['C27: user information', ['https://example.com@evil.com', 'https://user:pw@example.com']],
    [
      'C28: more than an origin',
      ['https://example.com/', 'https://example.com?q', 'https://example.com#f'],
    ],
    [
      'C29: what URL parsers mend',
      ['https:example.com', 'https:\\\\example.com', '//example.com', 'example.com'],
    ],
    [
      'C30: blanks',
      [
        'https://ex\tample.com',
        ' https://example.com',
        'https://example.com\n',
        'https://example.com\0',
      ],
    ],
    [
      'C31, C32: look-alike letters',
      ['https://ex\u0430mple.com', 'https://example。com', 'https://ⓔxample.com'],
    ],
    ['C33: no origin', ['null', '']],
    ['C37: percent signs', ['https://example.com%2eevil.com', 'https://example.com%00.evil.com']],
    ['C38: patterns', ['https://*', 'https://*.example.com']],
  ])('%s is refused', (_title, origins) => {
    expect(origins.filter((origin) => originAllowed(origin, LIST))).toEqual([]);
  });

  it('C34, C35: compares origins of apps exactly', () => {
    const list = ['android:apk-key-hash:AbC', 'ios:bundle-id:com.example'];
    expect(originAllowed('android:apk-key-hash:AbC', list)).toBe(true);
    expect(originAllowed('android:apk-key-hash:abc', list)).toBe(false);
    expect(originAllowed('file://', list)).toBe(false);
  });

  describe('with a leading *. label', () => {
    const list = ['https://*.example.com'];

    it.each([
      'https://a.example.com',
      'https://a.b.example.com',
      'https://xn--bcher-kva.example.com',
    ])('accepts %s', (origin) => {
      expect(originAllowed(origin, list)).toBe(true);
    });

    it.each([
      'https://example.com',
      'https://.example.com',
      'https://-a.example.com',
      'https://A.example.com',
      'https://a..example.com',
      'https://a.example.com:8443',
      'https://evil.com/.example.com',
      'https://evil.com#.example.com',
      'https://u@a.example.com',
      'https://a\0.example.com',
      'https://evilexample.com',
      'http://a.example.com',
      'httpz://a.example.com',
      'https://a.example.org',
      `https://${'a'.repeat(64)}.example.com`,
    ])('refuses %j', (origin) => {
      expect(originAllowed(origin, list)).toBe(false);
    });
  });

  describe('with :* as the port', () => {
    const list = ['http://localhost:*'];

    it.each(['http://localhost', 'http://localhost:1', 'http://localhost:65535'])(
      'accepts %s',
      (origin) => {
        expect(originAllowed(origin, list)).toBe(true);
      },
    );

    it.each([
      'https://localhost',
      'http://localhost:',
      'http://localhost:0',
      'http://localhost:080',
      'http://localhost:65536',
      'http://localhost:80/',
      'http://localhost:8a',
      'http://localhost:1e3',
      'http://localhost:80 ',
      'http://localhost.evil.com',
      'http://localhosts',
    ])('refuses %s', (origin) => {
      expect(originAllowed(origin, list)).toBe(false);
    });
  });
});
