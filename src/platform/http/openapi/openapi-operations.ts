import type { OpenAPIObject } from '@nestjs/swagger';
import type { Refusal } from '../../errors/api-error.js';
import { modernise, resolveSchema, type AnswerContent, type Schema } from './openapi-schemas.js';

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
 * An example of a schema, composed of the examples of its fields.
 *
 * @param whole whether to include optional members
 */
export function exampleOf(document: OpenAPIObject, schema: Schema, whole: boolean): unknown {
  const it = resolveSchema(document, schema);
  const [example] = it.examples ?? [];
  if (example !== undefined) return example;
  if (it.default !== undefined) return it.default;
  if (it.enum) return it.enum[0];
  const [choice] = it.allOf ?? it.anyOf ?? it.oneOf ?? [];
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

interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, AnswerContent>;
}

interface Parameter {
  schema?: Schema;
  example?: unknown;
}

/** The parts of an operation in the document that are completed here. */
interface DocumentOperation {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, AnswerContent> };
  /** Empty if no authentication is needed; without the member, the document would not say so. */
  security?: Record<string, string[]>[];
  responses: Record<string, Response>;
}

/** Failures of any call: code by status. */
const ANY_CALL = { '500': 'E0050R', '503': 'E0052R', '507': 'E0051R' } as const;

const HEADERS = {
  'X-Request-Id': {
    description: 'ID of the request, which appears in logs and events',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'seconds to wait before the next attempt',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'authentication schemes, with E0042R: Basic or Bearer',
    schema: { type: 'string' },
  },
};

/** Headers that an answer has besides `X-Request-Id`, by its status. */
const BY_STATUS: Readonly<Record<string, readonly (keyof typeof HEADERS)[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
  507: ['Retry-After'],
};

const operationsOf = ({ paths }: OpenAPIObject): DocumentOperation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods) as DocumentOperation[]);

/** Adds to all operations their common parts. */
export function completeOperations(
  document: OpenAPIObject,
  responseOf: (refusal: Refusal) => Response,
): void {
  const components = (document.components ??= {});
  components.headers = HEADERS;
  components.responses = Object.fromEntries(
    Object.entries(ANY_CALL).map(([status, code]) => {
      const response = responseOf(code);
      addHeaders(status, response);
      return [code, response];
    }),
  ) as NonNullable<typeof components.responses>;
  nameAliases(document);
  for (const operation of operationsOf(document)) {
    for (const [status, code] of Object.entries(ANY_CALL)) {
      operation.responses[status] ??= { $ref: `#/components/responses/${code}` };
    }
    for (const [status, response] of Object.entries(operation.responses)) {
      addHeaders(status, response);
    }
    operation.security ??= [];
    operation.parameters?.forEach(showExample);
  }
}

/** A handler with two paths creates two operations of one name: the second receives a name with `Alias`. */
function nameAliases(document: OpenAPIObject): void {
  const known = new Set<string>();
  for (const operation of operationsOf(document)) {
    const { operationId = '' } = operation;
    if (known.has(operationId)) operation.operationId = `${operationId}Alias`;
    known.add(operationId);
  }
}

function addHeaders(status: string, response: Response): void {
  if (response.$ref !== undefined) return;
  const names = ['X-Request-Id', ...(BY_STATUS[status] ?? [])];
  const shared = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  response.headers = { ...Object.fromEntries(shared), ...response.headers };
}

/** Moves an example from a parameter's schema to the parameter, where tools look for it to fill in forms. */
function showExample(parameter: Parameter): void {
  const { schema } = parameter;
  if (schema?.example === undefined) return;
  parameter.example ??= schema.example;
  delete schema.example;
}

/** Reduces each multipart body to an object with its files, without the fields that the same call accepts as JSON. */
export function partFiles(document: OpenAPIObject): void {
  for (const { requestBody } of operationsOf(document)) {
    const content = requestBody?.content ?? {};
    const parts = content['multipart/form-data'];
    if (!parts?.schema) continue;
    const { properties, ...whole } = resolveSchema(document, parts.schema);
    const files = Object.entries(properties ?? { file: whole }).filter(
      ([, { format }]) => format === 'binary',
    );
    parts.schema = {
      type: 'object',
      properties: Object.fromEntries(files),
      required: files.map(([name]) => name),
    };
    modernise(parts.schema);
    // A whole body of another type is a text: generated clients cannot send a file in its place.
    for (const { schema } of Object.values(content)) delete schema?.format;
  }
}

/** Adds an example to each body: with all members for an answer, with only the required ones for a request. */
export function showExamples(document: OpenAPIObject, samples: ReadonlyMap<string, object>): void {
  for (const operation of operationsOf(document)) {
    const sent = operation.requestBody?.content?.['application/json'];
    const sample = samples.get(operation.operationId?.replace(/Alias$/, '') ?? '');
    if (sent && sample) sent.example = sample;
    for (const body of Object.values(operation.requestBody?.content ?? {})) {
      if (body.schema) modernise(body.schema);
      addExample(document, body, false);
    }
    for (const { content } of Object.values(operation.responses)) {
      const answered = content?.['application/json'];
      if (answered) addExample(document, answered, true);
    }
  }
}

function addExample(document: OpenAPIObject, content: AnswerContent, whole: boolean): void {
  if (content.schema === undefined || content.examples !== undefined) return;
  content.example ??= exampleOf(document, content.schema, whole);
}
