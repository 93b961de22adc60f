import { ownPath } from './sign-in.view.js';

describe('the target of a redirect after sign-in', () => {
  it.each(['/', '/userapi', '/userapi?search=a&b=%2F', '/tenants/acme#keys', '/a//b'])(
    'redirects to %j after sign-in, since it is a page of this server',
    (path) => expect(ownPath(path)).toBe(path),
  );

  it.each([
    ['another server', '//evil.example'],
    ['backslashes, which browsers read as another server', '/\\evil.example'],
    ['another server behind a tab, which browsers ignore', '/\t/evil.example'],
    ['another server behind a line end', '/\n/evil.example'],
    ['a path that resolves to another server', '/.//evil.example'],
    ['encoded dots before another server', '/%2e//evil.example'],
    ['two dots before another server', '/a/..//evil.example'],
    ['a full address', 'https://evil.example/'],
    ['a script', 'javascript:alert(1)'],
    ['a word that is not a path', 'userapi'],
    ['an empty text', ''],
    ['an array', ['/', '/']],
  ])('redirects to the start page in place of %s', (_, to) => expect(ownPath(to)).toBe('/'));
});
