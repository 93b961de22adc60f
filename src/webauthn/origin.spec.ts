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
    ['another scheme', ['http://example.com', 'wss://example.com', 'ftp://example.com']],
    [
      'another port',
      ['https://example.com:8443', 'https://example.com:0', 'https://example.com:99999'],
    ],
    ['the default port written out', ['https://example.com:443']],
    ['a subdomain of the listed one', ['https://a.example.com']],
    ['the parent domain of the listed one', ['https://com']],
    [
      'a domain that looks like the listed one',
      ['https://example.com.evil.com', 'https://evilexample.com', 'https://example-com'],
    ],
    ['a trailing dot', ['https://example.com.']],
    ['capitals', ['HTTPS://EXAMPLE.COM', 'https://Example.com']],
    ['user information', ['https://example.com@evil.com', 'https://user:pw@example.com']],
    [
      'a path, query or fragment',
      ['https://example.com/', 'https://example.com?q', 'https://example.com#f'],
    ],
    [
      'faults that URL parsers correct',
      ['https:example.com', 'https:\\\\example.com', '//example.com', 'example.com'],
    ],
    [
      'blanks',
      [
        'https://ex\tample.com',
        ' https://example.com',
        'https://example.com\n',
        'https://example.com\0',
      ],
    ],
    [
      'look-alike letters',
      ['https://ex\u0430mple.com', 'https://example。com', 'https://ⓔxample.com'],
    ],
    ['no scheme and host', ['null', '']],
    ['percent signs', ['https://example.com%2eevil.com', 'https://example.com%00.evil.com']],
    ['an asterisk', ['https://*', 'https://*.example.com']],
  ])('refuses an origin with %s', (_title, origins) => {
    expect(origins.filter((origin) => originAllowed(origin, LIST))).toEqual([]);
  });

  it('compares origins of apps exactly', () => {
    const list = ['android:apk-key-hash:AbC', 'ios:bundle-id:com.example'];
    expect(originAllowed('android:apk-key-hash:AbC', list)).toBe(true);
    expect(originAllowed('android:apk-key-hash:abc', list)).toBe(false);
    expect(originAllowed('file://', list)).toBe(false);
  });

  describe('a pattern with a leading *. label', () => {
    const list = ['https://*.example.com'];

    it.each([
      'https://a.example.com',
      'https://a.b.example.com',
      'https://xn--bcher-kva.example.com',
    ])('accepts the subdomain %s for a pattern', (origin) => {
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
    ])('refuses %j for a pattern of subdomains', (origin) => {
      expect(originAllowed(origin, list)).toBe(false);
    });
  });

  describe('a pattern with :* as the port', () => {
    const list = ['http://localhost:*'];

    it.each(['http://localhost', 'http://localhost:1', 'http://localhost:65535'])(
      'accepts %s for a pattern of any port',
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
    ])('refuses %s for a pattern of any port', (origin) => {
      expect(originAllowed(origin, list)).toBe(false);
    });
  });
});
