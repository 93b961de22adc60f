import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import {
  resolveSchema,
  type AnswerContent,
  type Schema,
} from '../../platform/http/openapi/openapi-schemas.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

export interface DescribedResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<
    Record<string, { readonly $ref?: string; readonly description?: string }>
  >;
  readonly content?: Readonly<Record<string, AnswerContent>>;
}

/** An operation, with its path and method in the document. */
export interface DescribedOperation {
  readonly operationId: string;
  /** `GET`, `POST`, … */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, AnswerContent>> };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

/** All operations, in the order of the document. */
export const operationsIn = ({ paths }: OpenAPIObject): DescribedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...(described as Omit<DescribedOperation, 'method' | 'path'>),
      method: method.toUpperCase(),
      path,
    })),
  );

/** Resolves a reference in the document; returns anything else unchanged. */
export function dereference<T extends { readonly $ref?: string }>(
  document: OpenAPIObject,
  it: T,
): T {
  if (it.$ref === undefined) return it;
  const place = it.$ref.split('/').slice(1);
  return place.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as T;
}

/** `404 Not Found` */
export const statusWords = (status: string): string => `${status} ${STATUS_CODES[status] ?? ''}`;

/** A member of a JSON object, as a row of a table. */
interface Field {
  /** Its path: `user.id`, `credentials[].transports`. */
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly text: string;
  readonly example?: string | undefined;
}

/** A body, or one of several possible bodies: the members of an object. */
export interface BodyFields {
  /** The name of the schema, if it has one. */
  readonly title?: string | undefined;
  readonly fields: readonly Field[];
}

const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

/** The objects that a schema describes; several if it allows several. */
export function bodyFieldsOf(document: OpenAPIObject, schema: Schema): BodyFields[] {
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts) return parts.flatMap((part) => bodyFieldsOf(document, part));
  const [first] = schema.allOf ?? [];
  if (first) return bodyFieldsOf(document, first);
  const fields = fieldsOf(document, resolveSchema(document, schema));
  return [{ title: nameOf(schema), fields }];
}

/** @param within the objects around this one, which reveal recursion */
function fieldsOf(
  document: OpenAPIObject,
  schema: Schema,
  prefix = '',
  within: readonly Schema[] = [],
): Field[] {
  const { properties = {}, required = [] } = schema;
  if (within.includes(schema)) return [];
  return Object.entries(properties).flatMap(([key, property]) => {
    const it = resolveSchema(document, property);
    const items = it.items && resolveSchema(document, it.items);
    const [example] = it.examples ?? [];
    const field = {
      name: prefix + key,
      required: required.includes(key),
      type: typeOf(document, it),
      text: it.description ?? '',
      example: example === undefined ? undefined : JSON.stringify(example),
    };
    const inside = items ? `${field.name}[].` : `${field.name}.`;
    return [field, ...fieldsOf(document, items ?? it, inside, [...within, schema])];
  });
}

/** A type in words for quick reading: `"open" or "ticket"`, `string[]`. */
export function typeOf(document: OpenAPIObject, schema: Schema): string {
  const it = resolveSchema(document, schema);
  if (it.enum) return it.enum.map((value) => JSON.stringify(value)).join(' or ');
  const parts = it.oneOf ?? it.anyOf;
  if (parts) return [...new Set(parts.map((part) => typeOf(document, part)))].join(' or ');
  if (it.items) {
    const each = typeOf(document, it.items);
    return each.includes(' ') ? `array of ${each}` : `${each}[]`;
  }
  const type = [it.type ?? 'any'].flat().join(' or ');
  return [type, it.format && `(${it.format})`, boundsOf(it)].filter(Boolean).join(' ');
}

function boundsOf({ minimum, maximum }: Schema & { readonly maximum?: number }): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? `≥ ${minimum}` : `${minimum}–${maximum}`;
}
