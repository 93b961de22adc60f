import { answeredResource, etagOf, listResponse } from './resource.js';

const USER = {
  schemas: ['urn:x'],
  id: 'a',
  userName: 'alice',
  displayName: 'Alice',
  meta: { resourceType: 'User', location: 'https://here/Users/a' },
};
const WHOLE = { attributes: undefined, excluded: new Set<string>() };

describe('a SCIM resource', () => {
  it('has a weak tag that differs only where its attributes differ', () => {
    const tag = etagOf(USER);
    expect(tag).toMatch(/^W\/"[\w-]{20}"$/);
    const meta = { ...USER.meta, location: 'https://there/Users/a' };
    expect(etagOf({ ...USER, meta })).toBe(tag);
    expect(etagOf({ ...USER, displayName: 'Alice B.' } as typeof USER)).not.toBe(tag);
  });

  it('has the same tag in other groups, which its directory changes elsewhere', () => {
    expect(etagOf({ ...USER, groups: [{ value: 'b' }] } as typeof USER)).toBe(etagOf(USER));
  });

  it('a SCIM resource is answered whole, with its version', () => {
    expect(answeredResource(USER, WHOLE)).toEqual({
      ...USER,
      meta: { ...USER.meta, version: etagOf(USER) },
    });
  });

  it('is answered with the requested attributes in any case, and always with its ID', () => {
    const projection = { ...WHOLE, attributes: new Set(['username']) };
    expect(answeredResource(USER, projection)).toEqual({
      schemas: ['urn:x'],
      id: 'a',
      userName: 'alice',
    });
  });

  it('is answered without excluded attributes, but never without its ID', () => {
    const excluded = new Set(['id', 'displayname', 'meta']);
    expect(answeredResource(USER, { ...WHOLE, excluded })).toEqual({
      schemas: ['urn:x'],
      id: 'a',
      userName: 'alice',
    });
  });

  it('SCIM resources are listed in the envelope of RFC 7644', () => {
    expect(listResponse([USER], { total: 7, startIndex: 3 })).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 7,
      startIndex: 3,
      itemsPerPage: 1,
      Resources: [USER],
    });
  });
});
