import type { OpenAPIObject } from '@nestjs/swagger';
import type { Refusal } from '../errors/refusals.js';
import { exampleOf } from './openapi-examples.js';
import { modernise, resolved } from './openapi-schemas.js';
import type { Content, Schema } from './openapi-schemas.js';

export interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Content>;
}

interface Parameter {
  schema?: Schema;
  example?: unknown;
}

/** An operation, as far as something is left to be said of it. */
export interface Described {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, Content> };
  responses: Record<string, Response>;
}

/** What any call may be answered with, whatever it is: its status, and the code. */
const ANY_CALL = { '500': 'E0050R', '503': 'E0052R', '507': 'E0051R' } as const;

const HEADERS = {
  'X-Request-Id': { description: 'names the call in logs and events', schema: { type: 'string' } },
  'Retry-After': { description: 'seconds', schema: { type: 'integer', minimum: 1 } },
  'WWW-Authenticate': { description: 'with E0042R: Basic or Bearer', schema: { type: 'string' } },
};

/** Which of them an answer has besides `X-Request-Id`, by its status. */
const BY_STATUS: Readonly<Record<string, readonly (keyof typeof HEADERS)[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
  507: ['Retry-After'],
};

export const operationsOf = ({ paths }: OpenAPIObject): Described[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods) as Described[]);

/** The bodies of an operation's answers. */
export const answersOf = ({ responses }: Described): Content[] =>
  Object.values(responses).flatMap(({ content }) => Object.values(content ?? {}));

/** Adds what holds for all operations, so that none has to say it. */
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
    operation.parameters?.forEach(showExample);
  }
}

/** Two paths of one handler are two operations: the second one is the other's alias. */
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

/** Readers of the document fill a form with a parameter's own example, not with its schema's. */
function showExample(parameter: Parameter): void {
  const { schema } = parameter;
  if (schema?.example === undefined) return;
  parameter.example ??= schema.example;
  delete schema.example;
}

/** A multipart body is an object with its file, whatever else the same call takes as JSON. */
export function partFiles(document: OpenAPIObject): void {
  for (const { requestBody } of operationsOf(document)) {
    const parts = requestBody?.content?.['multipart/form-data'];
    if (!parts?.schema) continue;
    const { properties, ...whole } = resolved(document, parts.schema);
    const files = Object.entries(properties ?? { file: whole }).filter(
      ([, { format }]) => format === 'binary',
    );
    parts.schema = {
      type: 'object',
      properties: Object.fromEntries(files),
      required: files.map(([name]) => name),
    };
    modernise(parts.schema);
  }
}

/** An example of each body: of an answer with all that may be there, of a request with what must be. */
export function showExamples(document: OpenAPIObject, samples: ReadonlyMap<string, object>): void {
  for (const operation of operationsOf(document)) {
    const sent = operation.requestBody?.content?.['application/json'];
    const sample = samples.get(operation.operationId?.replace(/Alias$/, '') ?? '');
    if (sent && sample) sent.example = sample;
    if (sent) addExample(document, sent, false);
    const parts = operation.requestBody?.content?.['multipart/form-data'];
    if (parts) addExample(document, parts, false);
    for (const { content } of Object.values(operation.responses)) {
      const answered = content?.['application/json'];
      if (answered) addExample(document, answered, true);
    }
  }
}

function addExample(document: OpenAPIObject, content: Content, whole: boolean): void {
  if (content.schema === undefined || content.examples !== undefined) return;
  content.example ??= exampleOf(document, content.schema, whole);
}
