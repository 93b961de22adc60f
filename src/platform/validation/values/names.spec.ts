import { isAccountName, isName, normalizeName } from './names.js';

describe('names', () => {
  it.each([
    'a',
    'alice@example.com',
    'Anna Müller',
    '山田太郎',
    '__proto__',
    'constructor',
    'null',
    '*',
    '%',
    '..',
    "'",
    '"; DROP TABLE users; --',
    'a+b@xn--bcher-kva.example',
    'x'.repeat(255),
    'é'.repeat(127),
    '🔑',
  ])('accepts the user name %p', (name) => expect(isName(name)).toBe(true));

  it.each(['a:b', '.', '..'])('accepts the name %j for users, not for accounts', (name) => {
    expect([isName(name), isAccountName(name)]).toEqual([true, false]);
  });

  it.each([
    undefined,
    null,
    1,
    true,
    {},
    [],
    ['a'],
    '',
    ' ',
    '\t',
    ' a',
    'a ',
    'a\u00a0',
    'a\nb',
    'a\u0000b',
    'a\u200bb',
    'a\u202eb',
    'a\u2066b',
    'a\u00adb',
    'a\ufe0f',
    '\ufeffa',
    'a\u2028b',
    '\u3164',
    '\ud800',
    'a\udc00b',
    'x'.repeat(256),
    'é'.repeat(128),
    '🔑'.repeat(64),
  ])('refuses the user name %p', (name) => expect(isName(name)).toBe(false));

  it('normalises user names to NFC before it counts their bytes', () => {
    expect(normalizeName('e\u0301')).toBe('\u00e9');
    expect(isName('e\u0301'.repeat(127))).toBe(true);
    expect(isName('\u0958'.repeat(85))).toBe(false); // decomposes: 6 bytes each
  });

  it('keeps the case and width of user names', () => {
    expect(normalizeName('Admin')).toBe('Admin');
    expect(normalizeName('ａｄｍｉｎ')).toBe('ａｄｍｉｎ');
  });
});
