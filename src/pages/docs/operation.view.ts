import type { OpenAPIObject } from '@nestjs/swagger';
import type { AnswerContent } from '../../platform/http/openapi/openapi-schemas.js';
import type { PageView } from '../../platform/pages/page.view.js';
import {
  bodyFieldsOf,
  dereference,
  operationsIn,
  statusWords,
  typeOf,
  type BodyFields,
  type DescribedOperation,
  type DescribedResponse,
} from './described.js';
import { requestOf, type Domains } from './request.view.js';

const JSON_TYPE = 'application/json';

/** Whether a status is not a refusal: refusals of this server never have a status of 2xx. */
const isGood = (status: string) => status.startsWith('2');

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/**
 * The page of one operation, created from the OpenAPI document alone.
 *
 * @returns `undefined` if there is no operation with this name
 */
export function operationPage(document: OpenAPIObject, id: string, domains: Domains) {
  const operations = operationsIn(document);
  const operation = operations.find(({ operationId }) => operationId === id);
  if (!operation) return undefined;
  const { tags, parameters = [], responses } = operation;
  const answers = Object.entries(responses);
  const page: PageView = {
    title: `${operation.operationId} · API`,
    nav: { docs: true },
    styles: ['/static/css/docs.css'],
    scripts: ['/static/js/docs/try.js'],
  };
  return {
    ...page,
    ...operation,
    reader: tags[0],
    colour: operation.method.toLowerCase(),
    parameters: parameters.map((it) => ({ ...it, type: typeOf(document, it.schema) })),
    sent: sentOf(document, operation),
    request: requestOf(operation, domains),
    ceremony: ceremonyOf(operations, operation),
    answers: answers
      .filter(([status]) => isGood(status))
      .map(([status, answer]) => answerOf(document, status, answer)),
    refusals: answers
      .filter(([status]) => !isGood(status))
      .flatMap(([status, answer]) => refusalsOf(document, status, dereference(document, answer))),
    refusalShapes: refusalShapes(document, operation),
    siblings: operations
      .filter((other) => other.tags[0] === tags[0])
      .map((other) => ({ ...other, here: other.operationId === id })),
  };
}

const sentOf = (document: OpenAPIObject, { requestBody }: DescribedOperation) =>
  Object.entries(requestBody?.content ?? {}).map(([type, { schema = {}, example }]) => ({
    type,
    shapes: bodyFieldsOf(document, schema).filter(({ fields }) => fields.length > 0),
    example: type === JSON_TYPE ? pretty(example) : undefined,
  }));

function answerOf(document: OpenAPIObject, status: string, answer: DescribedResponse) {
  const { content = {}, headers = {} } = answer;
  const json: AnswerContent | undefined = content[JSON_TYPE];
  return {
    status: statusWords(status),
    headers: Object.entries(headers).map(([name, header]) => ({
      name,
      text: dereference(document, header).description ?? '',
    })),
    /** Media types other than JSON. */
    others: Object.keys(content).filter((type) => type !== JSON_TYPE),
    shapes: json?.schema ? bodyFieldsOf(document, json.schema) : [],
    example: json?.example === undefined ? undefined : pretty(json.example),
  };
}

type Example = { readonly $ref?: string; readonly summary?: string; readonly value?: unknown };

function refusalsOf(document: OpenAPIObject, status: string, { content }: DescribedResponse) {
  const examples = (content?.[JSON_TYPE]?.examples ?? {}) as Record<string, Example>;
  return Object.entries(examples).map(([code, example]) => {
    const { summary = '', value } = dereference(document, example);
    return {
      status,
      code: code === 'no-account' ? '–' : code,
      text: summary,
      example: pretty(value),
    };
  });
}

/** The bodies of this operation's refusals: the common one, and those that differ from it. */
function refusalShapes(document: OpenAPIObject, { responses }: DescribedOperation): BodyFields[] {
  const shapes = Object.entries(responses)
    .filter(([status]) => !isGood(status))
    .flatMap(([, response]) => dereference(document, response).content?.[JSON_TYPE]?.schema ?? [])
    .flatMap((schema) => bodyFieldsOf(document, schema));
  return [...new Map(shapes.map((shape) => [shape.title, shape])).values()];
}

/** For a call that completes a ceremony, the call that begins it: no example body would be valid. */
function ceremonyOf(
  operations: readonly DescribedOperation[],
  { operationId }: DescribedOperation,
) {
  const begin = operations.find(
    (other) => other.operationId === operationId.replace(/^complete/, 'begin'),
  );
  if (!begin || !operationId.startsWith('complete')) return undefined;
  return { path: begin.path, registers: operationId.includes('Registration') };
}
