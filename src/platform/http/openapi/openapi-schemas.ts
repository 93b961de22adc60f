import type { OpenAPIObject } from '@nestjs/swagger';

/** The parts of JSON Schema (2020-12) that the document uses. */
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
  /** A keyword of OpenAPI, deprecated in 3.1. */
  example?: unknown;
  examples?: unknown[];
}

/** The description of a body of one media type. */
export interface AnswerContent {
  schema?: Schema;
  example?: unknown;
  examples?: unknown;
}

const partsOf = (schema: Schema): Schema[] => [
  ...Object.values(schema.properties ?? {}),
  ...(schema.items ? [schema.items] : []),
  ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ...[schema.allOf, schema.anyOf, schema.oneOf].flatMap((schemas) => schemas ?? []),
];

export function resolveSchema({ components }: OpenAPIObject, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = components?.schemas?.[schema.$ref.slice('#/components/schemas/'.length)];
  if (!found) throw new TypeError(`${schema.$ref} is nowhere`);
  return found as Schema;
}

/**
 * Replaces `example` by `examples`, as in JSON Schema and therefore OpenAPI 3.1, and moves defaults into
 * descriptions: client generators treat a field with a default as required.
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
