import { parseFilter } from './filter.js';

describe('parseFilter', () => {
  it.each([
    ['userName eq "alice"', [{ attribute: 'userName', value: 'alice' }]],
    ['username EQ "a b" ', [{ attribute: 'username', value: 'a b' }]],
    ['externalId eq ""', [{ attribute: 'externalId', value: '' }]],
    ['userName eq "say \\"hi\\" \\u00e9"', [{ attribute: 'userName', value: 'say "hi" é' }]],
    [
      'id eq "5d48" and manager eq "28a1"',
      [
        { attribute: 'id', value: '5d48' },
        { attribute: 'manager', value: '28a1' },
      ],
    ],
    [
      'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "x and y"',
      [{ attribute: 'urn:ietf:params:scim:schemas:core:2.0:User:userName', value: 'x and y' }],
    ],
  ])('reads the filter %s', (text, comparisons) => {
    expect(parseFilter(text)).toEqual(comparisons);
  });

  it.each([
    '',
    ' ',
    'userName',
    'userName eq',
    'userName eq alice',
    'userName eq true',
    'userName co "a"',
    'userName eq "a" or id eq "b"',
    'userName eq "a" and',
    'userName eq "a" and and id eq "b"',
    'userName eq "a" andid eq "b"',
    'not (userName eq "a")',
    '(userName eq "a")',
    'userName eq "a\n"',
    'userName eq "a" x',
    'userName eq "\\x"',
    Array(6).fill('userName eq "a"').join(' and '),
    `userName eq "${'a'.repeat(2100)}"`,
  ])('refuses the filter %j', (text) => {
    expect(() => parseFilter(text)).toThrow(
      expect.objectContaining({ status: 400, body: { scimType: 'invalidFilter' } }),
    );
  });

  it('refuses a long malformed filter without delay', () => {
    expect(() => parseFilter(`userName eq "${'\\"'.repeat(1000)}`)).toThrow();
  });
});
