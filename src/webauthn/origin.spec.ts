import { originAllowed } from './origin.js';

const LIST = ['https://example.com'];

describe('originAllowed', () => {
  it('accepts a listed origin only if it matches exactly', () => {
    expect(originAllowed('https://example.com', LIST)).toBe(true);
    expect(originAllowed('https://example.com', [])).toBe(false);
  });

  it.each(['https://*.example.com', 'http://localhost:*'])(
    'never accepts the pattern %s itself as an origin',
    (pattern) => expect(originAllowed(pattern, [pattern])).toBe(false),
  );

  it.each([
    ['another scheme (C19)', ['http://example.com', 'wss://example.com', 'ftp://example.com']],
    [
      'another port (C20)',
      ['https://example.com:8443', 'https://example.com:0', 'https://example.com:99999'],
    ],
    ['the default port written out (C21)', ['https://example.com:443']],
    ['a subdomain (C22)', ['https://a.example.com']],
    ['the parent domain (C23)', ['https://com']],
    [
      'look-alikes (C24)',
      ['https://example.com.evil.com', 'https://evilexample.com', 'https://example-com'],
    ],
    ['a trailing dot (C25)', ['https://example.com.']],
    ['capitals (C26)', ['HTTPS://EXAMPLE.COM', 'https://Example.com']],
    ['user information (C27)', ['https://example.com@evil.com', 'https://user:pw@example.com']],
    [
      'more than an origin (C28)',
      ['https://example.com/', 'https://example.com?q', 'https://example.com#f'],
    ],
    [
      'what URL parsers mend (C29)',
      ['https:example.com', 'https:\\\\example.com', '//example.com', 'example.com'],
    ],
    [
      'blanks (C30)',
      [
        'https://ex\tample.com',
        ' https://example.com',
        'https://example.com\n',
        'https://example.com\0',
      ],
    ],
    [
      'look-alike letters (C31, C32)',
      ['https://ex\u0430mple.com', 'https://example。com', 'https://ⓔxample.com'],
    ],
    ['no origin (C33)', ['null', '']],
    ['percent signs (C37)', ['https://example.com%2eevil.com', 'https://example.com%00.evil.com']],
    ['patterns (C38)', ['https://*', 'https://*.example.com']],
  ])('%s is refused', (_title, origins) => {
    expect(origins.filter((origin) => originAllowed(origin, LIST))).toEqual([]);
  });

  it('compares origins of apps exactly (C34, C35)', () => {
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
