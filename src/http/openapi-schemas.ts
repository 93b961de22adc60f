import type { OpenAPIObject } from '@nestjs/swagger';

/** As much of a JSON Schema (2020-12) as the document has. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  /** OpenAPI's own word, which 3.1 has deprecated. */
  example?: unknown;
  examples?: unknown[];
}

/** What a body is, by its media type. */
export interface Content {
  schema?: Schema;
  example?: unknown;
  examples?: unknown;
}

/** The schemas that stand in a schema, one level down. */
export const partsOf = (schema: Schema): Schema[] => [
  ...Object.values(schema.properties ?? {}),
  ...(schema.items ? [schema.items] : []),
  ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ...[schema.allOf, schema.anyOf, schema.oneOf].flatMap((schemas) => schemas ?? []),
];

/** The schema that a reference names. */
export function resolved({ components }: OpenAPIObject, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = components?.schemas?.[schema.$ref.slice('#/components/schemas/'.length)];
  if (!found) throw new TypeError(`${schema.$ref} is nowhere`);
  return found as Schema;
}

/**
 * Closes what the server answers: an object has the members that its schema names, and no others. (What
 * is sent to the server stays open: it ignores what it does not know.)
 */
export function closeAnswers(document: OpenAPIObject, answers: readonly Schema[]): void {
  const closed = new Set<Schema>();
  const close = (schema: Schema): void => {
    const it = resolved(document, schema);
    if (closed.has(it)) return;
    closed.add(it);
    if (it.type === 'object' && it.properties) it.additionalProperties ??= false;
    partsOf(it).forEach(close);
  };
  answers.forEach(close);
}

/**
 * Writes `example` as JSON Schema does, which is what OpenAPI 3.1 takes its schemas to be, and a default
 * in words: generators of clients take a field that has one for a field that must be sent.
 */
export function modernise(schema: Schema): void {
  if (schema.default !== undefined) {
    const words = `default: ${JSON.stringify(schema.default)}`;
    schema.description = [schema.description, words].filter(Boolean).join('; ');
    delete schema.default;
  }
  if ('example' in schema) {
    schema.examples ??= [schema.example];
    delete schema.example;
  }
  partsOf(schema).forEach(modernise);
}
