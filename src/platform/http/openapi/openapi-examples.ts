import type { OpenAPIObject } from '@nestjs/swagger';
import { resolved } from './openapi-schemas.js';
import type { Schema } from './openapi-schemas.js';

const BY_FORMAT: Readonly<Record<string, unknown>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T09:00:00.000Z',
  uuid: 'ee882879-721c-4913-9775-3dfcce97072a',
  uri: 'https://example.com/',
};

const BY_TYPE: Readonly<Record<string, (schema: Schema) => unknown>> = {
  string: ({ format = '' }) => BY_FORMAT[format] ?? 'text',
  integer: ({ minimum = 0 }) => minimum,
  number: ({ minimum = 0 }) => minimum,
  boolean: () => true,
  null: () => null,
};

/**
 * An example of a schema, put together from the examples of its fields.
 *
 * @param whole whether to include optional members
 */
export function exampleOf(document: OpenAPIObject, schema: Schema, whole: boolean): unknown {
  const it = resolved(document, schema);
  const [example] = it.examples ?? [];
  if (example !== undefined) return example;
  if (it.default !== undefined) return it.default;
  if (it.enum) return it.enum[0];
  const [choice] = it.anyOf ?? it.oneOf ?? [];
  if (choice) return exampleOf(document, choice, whole);
  if (it.items) return [exampleOf(document, it.items, whole)];
  if (it.properties) return objectOf(document, it, whole);
  const [type = 'object'] = [it.type ?? []].flat();
  return BY_TYPE[type]?.(it) ?? {};
}

function objectOf(document: OpenAPIObject, { properties = {}, required }: Schema, whole: boolean) {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => whole || required?.includes(name))
      .map(([name, property]) => [name, exampleOf(document, property, whole)]),
  );
}
