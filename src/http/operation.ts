import { RequestMethod } from '@nestjs/common';
import type { StreamableFile, Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import type * as Swagger from '@nestjs/swagger';
import type { Refusal } from '../errors/refusals.js';
import { refusalsBefore } from './before.js';
import { ApiTags, whenDescribed } from './openapi.js';
import type { Reader } from './readers.js';
import { refusalResponses } from './refusal.openapi.js';
import type { RefusalBodies } from './refusal.openapi.js';

/** An answer that is an array, for formats of others: what we decide ourselves is an object. */
interface ListOf<Item extends Type = Type> {
  readonly listOf: Item;
}

type JsonAnswer = Type | ListOf;

/** The class of a JSON answer, several where it depends on the call, or the media type of another. */
type Answering = JsonAnswer | readonly JsonAnswer[] | `text/${string}` | 'application/x-ndjson';

type Instance<Answer> =
  Answer extends Type<infer One>
    ? One
    : Answer extends ListOf<Type<infer Item>>
      ? readonly Item[]
      : never;

/** What a handler may return where it answers with one of these classes. */
type Returned<Answers extends Answering> = Answers extends JsonAnswer
  ? Shape<Instance<Answers>>
  : Answers extends readonly JsonAnswer[]
    ? Shape<Instance<Answers[number]>>
    : string | StreamableFile;

/** The answer itself, what JSON makes it from, or a stream that is written while it is found. */
type Shape<Answer> = Answer | { toJSON(): Answer } | JsonText<Answer> | StreamableFile;

/** An answer as it was stored: the text of its JSON. */
export type JsonText<Answer> = string & { readonly of?: Answer };

/** Bodies to begin with, by the operation's name. */
export const samples = new Map<string, object>();

type Headers = Readonly<Record<string, string>>;

interface Says<Answers extends Answering> {
  readonly answers: Answers;
  /** How it refuses besides what guards, interceptors, pipes and DTOs in front of it say themselves. */
  readonly refuses?: readonly Refusal[];
  /** The classes of refusals that have a body of their own here. */
  readonly bodies?: RefusalBodies;
  /** What a summary has no place for. */
  readonly description?: string;
  /** A body to begin with, where the fields that must be there are not enough of one. */
  readonly sends?: object;
  /** Headers of the answer, and what they say. */
  readonly headers?: Headers;
  /** Headers of refusals too. */
  readonly headersOfAll?: Headers;
}

/** Other forms of an answer beside JSON: media types; `Represent` writes them. */
export const FORMS = 'servicefido:forms';

/**
 * What an operation is called, does and answers; the compiler holds the handler to it, and the tests
 * hold every answer that they see to the schema that `/docs/openapi.json` has of it.
 *
 * ```ts
 * @Post()
 * @Operation('issueTicket', 'Issues a ticket for one registration', {
 *   answers: TicketAnswer,
 *   refuses: ['E0025R', 'E0026R'],
 * })
 * async issue(@Body(DtoPipe) dto: TicketDto): Promise<TicketAnswer>
 * ```
 *
 * @param id stays what it is for good: generated clients call their methods by it
 */
export const Operation =
  <const Answers extends Answering>(id: string, summary: string, says: Says<Answers>) =>
  <Handler extends (...sent: never[]) => Returned<Answers> | Promise<Returned<Answers>>>(
    prototype: object,
    name: string,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void =>
    whenDescribed((swagger) => {
      if (says.sends) samples.set(id, says.sends);
      const { description, refuses = [], bodies, headersOfAll } = says;
      const refusals = [...refusalsBefore(prototype, name), ...refuses];
      const handler = descriptor.value as object;
      const decorators = [
        swagger.ApiOperation({ operationId: id, summary, ...(description && { description }) }),
        ...answerOf(swagger, handler, says),
        ...refusalResponses(swagger, refusals, { bodies, headers: headersOf(headersOfAll) }),
      ];
      for (const decorate of decorators) decorate(prototype, name, descriptor);
    });

/** For a controller: whom its operations are for. */
export const ForReader = (reader: Reader): ClassDecorator => ApiTags(reader);

function answerOf(
  swagger: typeof Swagger,
  handler: object,
  { answers, headers, headersOfAll }: Says<Answering>,
): MethodDecorator[] {
  const bodies = typeof answers === 'string' ? [] : ([answers].flat() as JsonAnswer[]);
  const classes = bodies.map((body) => ('listOf' in body ? body.listOf : body));
  const refs = bodies.map((body) => schemaOf(swagger, body));
  const [one, ...others] = refs;
  const json = others.length === 0 ? one : { anyOf: refs };
  const forms = (Reflect.getMetadata(FORMS, handler) as readonly string[] | undefined) ?? [];
  const texts = typeof answers === 'string' ? [answers] : forms;
  const content = {
    ...(json && { 'application/json': { schema: json } }),
    ...Object.fromEntries(texts.map((type) => [type, { schema: { type: 'string' as const } }])),
  };
  return [
    swagger.ApiExtraModels(...classes) as MethodDecorator,
    swagger.ApiResponse({
      status: statusOf(handler),
      description: classes.map(({ name }) => name).join(' or ') || texts.join(),
      headers: headersOf({ ...headers, ...headersOfAll }),
      content,
    }),
  ];
}

function schemaOf({ getSchemaPath }: typeof Swagger, body: JsonAnswer) {
  if (!('listOf' in body)) return { $ref: getSchemaPath(body) };
  return { type: 'array' as const, items: { $ref: getSchemaPath(body.listOf) } };
}

const headersOf = (headers: Headers = {}) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' as const } },
    ]),
  );

/** The status that Nest answers a handler with. */
function statusOf(handler: object): number {
  const said = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod;
  return said ?? (method === RequestMethod.POST ? 201 : 200);
}
