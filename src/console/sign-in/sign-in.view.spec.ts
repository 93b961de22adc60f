import { ownPath } from './sign-in.view.js';

describe('the target of a redirect after sign-in', () => {
  it.each(['/', '/userapi', '/userapi?search=a&b=%2F', '/tenants/acme#keys', '/a//b'])(
    'accepts %j as a page of this server',
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
  ])('refuses %s', (_, to) => expect(ownPath(to)).toBe('/'));
});
