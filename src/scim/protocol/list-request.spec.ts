import { ensureKnownParameters, listRequestOf, projectionOf } from './list-request.js';

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

  it('reads all attributes of an extension by its URN', () => {
    const attributes = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:user';
    expect(projectionOf({ attributes }).attributes).toContain('manager');
  });

  it.each([
    'id,emails,phoneNumbers.value',
    'members.$ref,password',
    'manager,department',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.displayName',
    'schemas,meta.version,',
    'schemaExtensions,patch',
    'patch.supported,authenticationSchemes.type,schemaExtensions.schema,attributes.name',
    'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig:bulk.maxOperations',
  ])('accepts %s, whether stored or not', (names) => {
    expect(() => projectionOf({ attributes: names, excludedAttributes: names })).not.toThrow();
  });

  it.each([
    'userNmae',
    'id,menbers',
    'name.givenNmae',
    'patch.suported',
    'endpoint.supported',
    'emails[type eq "work"]',
    'urn:ietf:params:scim:schemas:core:2.0:User:userNmae',
    'urn:example:2.0:User:badge',
    '__proto__',
  ])('refuses %s, which no schema has', (names) => {
    expect(() => projectionOf({ attributes: names })).toThrow(INVALID);
    expect(() => projectionOf({ excludedAttributes: names })).toThrow(INVALID);
  });

  it('asks for all attributes without parameters', () => {
    expect(projectionOf({ attributes: '' })).toEqual({
      attributes: undefined,
      excluded: new Set(),
    });
  });
});

describe('ensureKnownParameters', () => {
  it.each(['filter', 'count', 'sortBy', 'cursor', 'aadOptscim062020', 'aadOptSCIM062020'])(
    'accepts %s',
    (name) => {
      expect(() => ensureKnownParameters({ [name]: '' })).not.toThrow();
    },
  );

  it.each(['Filter', 'filters', 'startindex', 'filter[]', 'tenant', 'toString'])(
    'refuses %s, and names the parameters that there are',
    (name) => {
      expect(() => ensureKnownParameters({ count: '1', [name]: 'x' })).toThrow(
        `"${name}" is no parameter of this call, which has these: filter, startIndex,`,
      );
    },
  );
});
