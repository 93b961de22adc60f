import { ownPath } from './sign-in.page.js';

describe('where a sign-in leads on to', () => {
  it.each(['/', '/userapi', '/userapi?search=a&b=%2F', '/tenants/acme#keys', '/a//b'])(
    '%j is a page of this server',
    (path) => expect(ownPath(path)).toBe(path),
  );

  it.each([
    ['another server', '//evil.example'],
    ['what browsers take for that', '/\\evil.example'],
    ['with a tab that browsers leave out', '/\t/evil.example'],
    ['with a line end', '/\n/evil.example'],
    ['two parts that become that', '/.//evil.example'],
    ['encoded dots', '/%2e//evil.example'],
    ['a way up', '/a/..//evil.example'],
    ['an address', 'https://evil.example/'],
    ['a script', 'javascript:alert(1)'],
    ['no path', 'userapi'],
    ['nothing', ''],
    ['no text', ['/', '/']],
  ])('%s is not', (_, to) => expect(ownPath(to)).toBe('/'));
});
