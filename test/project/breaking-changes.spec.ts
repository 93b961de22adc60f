import { breakingChanges } from '../support/api/breaking-changes.js';
import type { Document, Operation, Schema } from '../support/api/openapi.js';

/** A document with one operation. */
const documentOf = (
  operation: Partial<Operation>,
  schemas: Record<string, Schema> = {},
): Document => ({
  paths: { '/keys': { post: { responses: {}, ...operation } } },
  components: { schemas },
});

const json = (schema: Schema) => ({ 'application/json': { schema } });

const taking = (schema: Schema) => documentOf({ requestBody: { content: json(schema) } });

const answering = (schema: Schema, status = '200') =>
  documentOf({ responses: { [status]: { content: json(schema) } } });

const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
});

const TEXT: Schema = { type: 'string' };
const refusal = (...codes: string[]) => object({ errorCode: { type: 'string', enum: codes } });

describe('a change of an operation', () => {
  const empty = { responses: {} };

  it('the removal of a path or method breaks clients', () => {
    const both: Document = {
      paths: { '/keys': { get: empty, post: empty }, '/users': { get: empty } },
    };
    const now: Document = { paths: { '/keys': { get: empty } } };
    expect(breakingChanges(both, now)).toEqual(['POST /keys is gone', 'GET /users is gone']);
    expect(breakingChanges(now, both)).toEqual([]);
  });

  it('a parameter that is removed, required or narrowed breaks clients', () => {
    const name = { name: 'name', in: 'query', schema: TEXT };
    const limit = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } };
    const before = documentOf({ parameters: [name, limit] });
    const smaller = { ...limit, schema: { type: 'integer', maximum: 50 } };
    expect(breakingChanges(before, documentOf({ parameters: [limit] }))).toEqual([
      'POST /keys: parameter name is gone',
    ]);
    expect(
      breakingChanges(before, documentOf({ parameters: [{ ...name, required: true }, smaller] })),
    ).toEqual([
      'POST /keys limit has a narrower maximum',
      'POST /keys: parameter name is required now',
    ]);
    expect(breakingChanges(documentOf({ parameters: [limit] }), before)).toEqual([]);
  });

  it('a body that is required or whose type is refused breaks clients', () => {
    const optional = documentOf({ requestBody: { content: json(TEXT) } });
    const required = documentOf({ requestBody: { required: true, content: json(TEXT) } });
    expect(breakingChanges(optional, required)).toEqual(['POST /keys: a body is required now']);
    expect(breakingChanges(required, optional)).toEqual([]);
    expect(breakingChanges(optional, documentOf({}))).toEqual([
      'POST /keys no longer takes application/json',
    ]);
  });

  it('the removal of a status, type or header of an answer breaks clients', () => {
    const headers = { ETag: {} };
    const before = documentOf({
      responses: { 200: { headers, content: { ...json(TEXT), 'text/csv': {} } }, 404: {} },
    });
    const now = documentOf({ responses: { 200: { content: json(TEXT) } } });
    expect(breakingChanges(before, now)).toEqual([
      'POST /keys 200: header ETag is gone',
      'POST /keys 200 no longer has text/csv',
      'POST /keys no longer answers 404',
    ]);
    expect(breakingChanges(now, before)).toEqual([]);
  });

  it('a kind of caller that is no longer allowed breaks clients', () => {
    const anyone = documentOf({});
    const basic = documentOf({ security: [{ basic: [] }] });
    const either = documentOf({ security: [{ basic: [] }, { bearer: [] }] });
    expect(breakingChanges(anyone, basic)).toEqual(['POST /keys no longer admits [{}]']);
    expect(breakingChanges(either, basic)).toEqual(['POST /keys no longer admits [{"bearer":[]}]']);
    expect(breakingChanges(basic, either)).toEqual([]);
  });
});

describe('a change of a request', () => {
  it.each<[string, Schema, Schema, string]>([
    ['a member is gone', object({ a: TEXT }), object({}), '.a is gone'],
    ['a member is required', object({ a: TEXT }), object({ a: TEXT }, ['a']), '.a is required now'],
    ['a new member is required', object({}), object({ a: TEXT }, ['a']), '.a is required now'],
    ['a type is narrower', { type: ['string', 'null'] }, TEXT, ' was string,null and is string'],
    ['a format is demanded', TEXT, { ...TEXT, format: 'uuid' }, ' was string and is string (uuid)'],
    ['a pattern is demanded', TEXT, { ...TEXT, pattern: '^a' }, ' has a narrower pattern'],
    ['a length is demanded', TEXT, { ...TEXT, minLength: 1 }, ' has a narrower minLength'],
    ['a value is refused', { enum: ['a', 'b'] }, { enum: ['a'] }, ' no longer takes "b"'],
    [
      'an item is narrower',
      { type: 'array', items: { type: 'number' } },
      { type: 'array', items: { type: 'integer' } },
      '[] was number and is integer',
    ],
    [
      'a variant is refused',
      { oneOf: [TEXT, { type: 'boolean' }] },
      TEXT,
      ' was boolean and is string',
    ],
  ])('a request breaks clients if %s', (_, before, now, difference) => {
    expect(breakingChanges(taking(before), taking(now))).toEqual([`POST /keys${difference}`]);
  });

  it.each<[string, Schema, Schema]>([
    ['an optional member is new', object({}), object({ a: TEXT })],
    ['a member is optional', object({ a: TEXT }, ['a']), object({ a: TEXT })],
    ['a value is new', { enum: ['a'] }, { enum: ['a', 'b'] }],
    ['a type is wider', { type: 'integer' }, { type: 'number' }],
    ['a variant is new', TEXT, { oneOf: [TEXT, { type: 'boolean' }] }],
    ['a bound is gone', { ...TEXT, maxLength: 5, pattern: '^a' }, TEXT],
  ])('a request does not break clients if %s', (_, before, now) => {
    expect(breakingChanges(taking(before), taking(now))).toEqual([]);
  });
});

describe('a change of an answer', () => {
  it.each<[string, Schema, Schema, string]>([
    ['a member is gone', object({ a: TEXT }, ['a']), object({}), '.a is gone'],
    [
      'a member can be missing',
      object({ a: TEXT }, ['a']),
      object({ a: TEXT }),
      '.a is not always there any more',
    ],
    ['a type is wider', TEXT, { type: ['string', 'null'] }, ' was string and is string,null'],
    ['a format is gone', { ...TEXT, format: 'uuid' }, TEXT, ' was string (uuid) and is string'],
    ['a constant varies', { enum: ['ok'] }, { enum: ['ok', 'partly'] }, ' can be "partly"'],
    ['a list is open', { enum: ['a', 'b'] }, TEXT, ' is no longer one of a list of values'],
    [
      'a value of a map is wider',
      { additionalProperties: TEXT },
      { additionalProperties: { type: ['string', 'null'] } },
      '.* was string and is string,null',
    ],
    [
      'a variant is new',
      TEXT,
      { oneOf: [TEXT, { type: 'boolean' }] },
      ' was string and is boolean',
    ],
  ])('an answer breaks clients if %s', (_, before, now, difference) => {
    expect(breakingChanges(answering(before), answering(now))).toEqual([
      `POST /keys 200${difference}`,
    ]);
  });

  it.each<[string, Schema, Schema]>([
    ['a member is new', object({ a: TEXT }), object({ a: TEXT, b: TEXT }, ['b'])],
    ['a member is always there', object({ a: TEXT }), object({ a: TEXT }, ['a'])],
    ['a list has a new value', { enum: ['a', 'b'] }, { enum: ['a', 'b', 'c'] }],
    ['a list has a value less', { enum: ['a', 'b'] }, { enum: ['a'] }],
  ])('an answer does not break clients if %s', (_, before, now) => {
    expect(breakingChanges(answering(before), answering(now))).toEqual([]);
  });
});

it('an error code may be added but not removed', () => {
  const before = answering({ oneOf: [refusal('E0042R')] }, '401');
  const now = answering({ oneOf: [refusal('E0042R', 'E0099R'), refusal('E0098R')] }, '401');
  expect(breakingChanges(before, now)).toEqual([]);
  expect(breakingChanges(now, before)).toEqual([
    'POST /keys 401 no longer has E0099R',
    'POST /keys 401 no longer has E0098R',
  ]);
});

it('a schema is compared everywhere, even inside itself', () => {
  const list = { $ref: '#/components/schemas/Node' };
  const responses = { 200: { content: json({ type: 'array', items: list }) } };
  const documentWith = (name: Schema) =>
    documentOf({ responses }, { Node: object({ name, next: list }) });
  expect(breakingChanges(documentWith(TEXT), documentWith({ type: ['string', 'null'] }))).toEqual([
    'POST /keys 200[].name was string and is string,null',
  ]);
});
