import { listRequestOf, projectionOf } from './list-request.js';

const INVALID = expect.objectContaining({ status: 400, body: { scimType: 'invalidValue' } });

describe('listRequestOf', () => {
  it.each([
    [{}, 1, 100],
    [{ startIndex: '0', count: '-5' }, 1, 0],
    [{ startIndex: '-1', count: '0' }, 1, 0],
    [{ startIndex: '21', count: '20' }, 21, 20],
    [{ startIndex: '', count: '' }, 1, 100],
    [{ count: '5000' }, 1, 200],
  ])('reads %j as the nearest page within its limits', (query, startIndex, count) => {
    expect(listRequestOf(query)).toEqual({ filter: undefined, startIndex, count });
  });

  it.each([{ startIndex: 'x' }, { count: '1.5' }, { count: '1e3' }, { filter: ['a', 'b'] }])(
    'refuses %j',
    (query) => {
      expect(() => listRequestOf(query)).toThrow(INVALID);
    },
  );
});

describe('projectionOf', () => {
  it('reads names in any case, with and without the URN of their schema', () => {
    const attributes =
      'userName, urn:ietf:params:scim:schemas:core:2.0:User:displayName,name.formatted';
    expect(projectionOf({ attributes, excludedAttributes: 'MEMBERS' })).toEqual({
      attributes: new Set(['username', 'displayname', 'name']),
      excluded: new Set(['members']),
    });
  });

  it('asks for all attributes without parameters', () => {
    expect(projectionOf({ attributes: '' })).toEqual({
      attributes: undefined,
      excluded: new Set(),
    });
  });
});
