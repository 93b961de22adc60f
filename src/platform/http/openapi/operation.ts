import {
  HttpCode,
  RequestMethod,
  UseInterceptors,
  type StreamableFile,
  type Type,
} from '@nestjs/common';
import {
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
} from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import type * as Swagger from '@nestjs/swagger';
import { refusalsOf, type Refusal } from '../../errors/api-error.js';
import { refusalsOfDto } from '../../validation/dto.pipe.js';
import { ETagInterceptor, type Version } from '../versions.js';
import { handlerParameters } from './handler-parameters.js';
import { ApiTags, whenDescribed } from './openapi.js';
import { refusalResponses, responseOf, type RefusalBodies } from './refusal.answer.js';

/** The audiences of operations, by which the OpenAPI document groups them. */
export const AUDIENCES = {
  integrator: 'For developers of applications: the four calls, tickets and tokens',
  'help desk': 'For the help desk: users and their keys, lists and events',
  finance: 'For finance: invoices',
  administrator:
    'For administrators: tenants, relying parties, policies, trust and application keys',
  auditor: 'For auditors: who changed what and when',
  operator: 'For operators of the server: health, metrics and checks',
} as const;

type Audience = keyof typeof AUDIENCES;

/** An answer that is an array, for formats defined elsewhere; our own answers are objects. */
interface ListOf<Item extends Type = Type> {
  readonly listOf: Item;
}

type JsonAnswer = Type | ListOf;

/** The class of a JSON answer, several classes if it depends on the call, or another media type. */
type AnswerKinds = JsonAnswer | readonly JsonAnswer[] | `text/${string}` | 'application/x-ndjson';

type Instance<Answer> =
  Answer extends Type<infer One>
    ? One
    : Answer extends ListOf<Type<infer Item>>
      ? readonly Item[]
      : never;

type HandlerResult<Answers extends AnswerKinds> = Answers extends JsonAnswer
  ? Shape<Instance<Answers>>
  : Answers extends readonly JsonAnswer[]
    ? Shape<Instance<Answers[number]>>
    : string | StreamableFile;

/** The answer itself, an object or text that becomes its JSON, or a stream that is written in parts. */
type Shape<Answer> = Answer | { toJSON(): Answer } | JsonText<Answer> | StreamableFile;

/** An answer that was stored as the text of its JSON. */
type JsonText<Answer> = string & { readonly of?: Answer };

/** Example bodies of requests by the operation's name. */
export const answerSamples = new Map<string, object>();

type Headers = Readonly<Record<string, string>>;

interface OperationDocs<Answers extends AnswerKinds> {
  /** For a POST that creates nothing; Nest answers other ones with 201. */
  readonly status?: 200;
  readonly answers: Answers;
  /** For a reading call that ignores unknown names, since programs may send some: the interface does not forbid them. */
  readonly allowsUnknownNames?: true;
  /**
   * For a call that issues or revokes secrets: refuses an unknown name that is probably a misspelt one, since a warning
   * would come too late.
   */
  readonly refusesMisspeltNames?: true;
  /** Names that it knows besides the fields of its DTOs. */
  readonly alsoTakes?: readonly string[];
  /** Whether it has a dry run, by the parameter `dryRun` of its address. */
  readonly takesDryRun?: true;
  /** Refusals in addition to those that its guards, interceptors, pipes and DTOs declare. */
  readonly refuses?: readonly Refusal[];
  /** Refusals with another status than the catalogue's. */
  readonly refusesWith?: Readonly<Record<number, readonly Refusal[]>>;
  /** Classes of refusals with a body of their own in this operation. */
  readonly bodies?: RefusalBodies;
  /** Details that do not fit into the summary; who may call it is added, as its guards say. */
  readonly description?: string;
  /** The media types of the body, if not JSON alone. */
  readonly consumes?: readonly string[];
  /** The body, if it is no DTO. */
  readonly body?: Swagger.ApiBodyOptions;
  /** An example body for requests, if the required fields alone are not a useful one. */
  readonly sends?: object;
  /** The version of the resource in an answer, which becomes the header `ETag`. */
  readonly versionOf?: (answer: Instance<Answers>) => Version;
  readonly headers?: Headers;
  /** Headers of the answer and of refusals. */
  readonly headersOfAll?: Headers;
}

/** The forms of an answer besides JSON. */
export const MEDIA_TYPES = { html: 'text/html', csv: 'text/csv', xml: 'application/xml' } as const;

export type AnswerForm = keyof typeof MEDIA_TYPES;

/** The forms of a handler's answer besides JSON; `Represent` sets them. */
export const OtherForms = Reflector.createDecorator<readonly AnswerForm[]>();
const ETAG: Headers = { ETag: 'version of the resource, for the header If-Match' };

/** Metadata key of an operation's handler. */
const OPERATION = 'servicefido:operation';

/** What guards and interceptors need to know of an operation. */
interface OperationFacts extends Pick<
  OperationDocs<AnswerKinds>,
  'allowsUnknownNames' | 'refusesMisspeltNames' | 'alsoTakes' | 'takesDryRun'
> {
  readonly answers: 'json' | 'text';
}

/** The facts of an operation of the API; `undefined` for other handlers, which answer with pages. */
export const operationFactsOf = (handler: object): OperationFacts | undefined =>
  Reflect.getMetadata(OPERATION, handler) as OperationFacts | undefined;

/**
 * Names an operation and describes what it does and answers. The compiler checks the handler's type against it,
 * and tests check every answer that they see against its schema in `/docs/openapi.json`.
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
 * @param id must never change, since generated clients name their methods after it
 */
export const Operation =
  <const Answers extends AnswerKinds>(id: string, summary: string, docs: OperationDocs<Answers>) =>
  <Handler extends (...sent: never[]) => HandlerResult<Answers> | Promise<HandlerResult<Answers>>>(
    prototype: object,
    name: string,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void => {
    const { versionOf } = docs;
    if (docs.status) HttpCode(docs.status)(prototype, name, descriptor);
    if (versionOf) UseInterceptors(new ETagInterceptor(versionOf))(prototype, name, descriptor);
    const answers = typeof docs.answers === 'string' ? 'text' : 'json';
    const facts: OperationFacts = { ...docs, answers };
    Reflect.defineMetadata(OPERATION, facts, descriptor.value as object);
    whenDescribed((swagger) => {
      if (docs.sends) answerSamples.set(id, docs.sends);
      const { refuses = [], refusesWith = {}, bodies, headersOfAll } = docs;
      const refusals = [...refusalsBefore(prototype, name), ...refuses];
      const handler = descriptor.value as object;
      const description = [docs.description ?? [], callersOf(prototype, handler)].flat().join(' ');
      const decorators = [
        swagger.ApiOperation({ operationId: id, summary, description }),
        ...parametersOf(swagger, prototype, handler),
        ...(docs.consumes ? [swagger.ApiConsumes(...docs.consumes)] : []),
        ...(docs.body ? [swagger.ApiBody(docs.body)] : []),
        ...answerOf(swagger, handler, docs.answers, {
          ...(versionOf && ETAG),
          ...docs.headers,
          ...headersOfAll,
        }),
        ...refusalResponses(swagger, refusals, { bodies, headers: headersOf(headersOfAll) }),
        ...Object.entries(refusesWith).map(([status, codes]) =>
          swagger.ApiResponse({ status: Number(status), ...responseOf(swagger, codes) }),
        ),
      ];
      for (const decorate of decorators) decorate(prototype, name, descriptor);
    });
  };

interface ParameterDocs {
  readonly example: string;
  readonly description: string;
}

/** Metadata key of the path parameters of a controller. */
const PARAMETERS = 'servicefido:parameters';

/**
 * Declares the audience of a controller's operations.
 *
 * @param parameters descriptions of its path parameters
 */
export const ForAudience =
  (audience: Audience, parameters: Readonly<Record<string, ParameterDocs>> = {}): ClassDecorator =>
  (controller) => {
    ApiTags(audience)(controller);
    Reflect.defineMetadata(PARAMETERS, parameters, controller);
  };

/** Whether the OpenAPI document describes a controller; it omits those of pages, which declare no audience. */
export const isDescribed = (controller: object): boolean =>
  Reflect.hasMetadata(PARAMETERS, controller);

function parametersOf(swagger: typeof Swagger, { constructor }: object, handler: object) {
  const parameters = Reflect.getMetadata(PARAMETERS, constructor) as Record<string, ParameterDocs>;
  const path = Reflect.getMetadata(PATH_METADATA, handler) as string;
  return Object.entries(parameters)
    .filter(([name]) => path.split('/').includes(`:${name}`))
    .map(([name, docs]) => swagger.ApiParam({ name, ...docs }));
}

function answerOf(
  swagger: typeof Swagger,
  handler: object,
  answers: AnswerKinds,
  headers: Headers,
): MethodDecorator[] {
  const bodies = typeof answers === 'string' ? [] : ([answers].flat() as JsonAnswer[]);
  const classes = bodies.map((body) => ('listOf' in body ? body.listOf : body));
  const refs = bodies.map((body) => schemaOf(swagger, body));
  const [one, ...others] = refs;
  const json = others.length === 0 ? one : { anyOf: refs };
  const forms =
    (Reflect.getMetadata(OtherForms.KEY, handler) as readonly AnswerForm[] | undefined) ?? [];
  const texts = typeof answers === 'string' ? [answers] : forms.map((form) => MEDIA_TYPES[form]);
  const content = {
    ...(json && { 'application/json': { schema: json } }),
    ...Object.fromEntries(texts.map((type) => [type, { schema: { type: 'string' as const } }])),
  };
  return [
    swagger.ApiExtraModels(...classes) as MethodDecorator,
    swagger.ApiResponse({
      status: statusOf(handler),
      description: classes.map(({ name }) => name).join(' or ') || texts.join(),
      headers: headersOf(headers),
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

function statusOf(handler: object): number {
  const declared = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod;
  return declared ?? (method === RequestMethod.POST ? 201 : 200);
}

/** A guard that says in words who may call a handler. */
interface DescribingGuard {
  callersOf?(controller: object, handler: object): string;
}

const callersOf = (prototype: object, handler: object): string[] =>
  classesBefore(prototype, handler).flatMap(
    (guard) => guard.callersOf?.(prototype.constructor, handler) ?? [],
  );

/** The guards and interceptors of a handler and of its controller. */
const classesBefore = (prototype: object, handler: object): DescribingGuard[] =>
  [GUARDS_METADATA, INTERCEPTORS_METADATA].flatMap((kind) =>
    [prototype.constructor, handler].flatMap(
      (place) => (Reflect.getMetadata(kind, place) as DescribingGuard[] | undefined) ?? [],
    ),
  );

/** The refusals of a handler's controller, guards, interceptors and pipes, which come before the handler's own. */
function refusalsBefore(prototype: object, name: string): readonly Refusal[] {
  const handler = Reflect.get(prototype, name) as object;
  return [prototype.constructor, ...classesBefore(prototype, handler)]
    .flatMap(refusalsOf)
    .concat(refusalsOfParameters(prototype, name));
}

/** The refusals of the pipes: the codes of a DTO's validators, and those for a body that is missing or too large. */
const refusalsOfParameters = (prototype: object, name: string): readonly Refusal[] =>
  handlerParameters(prototype, name).flatMap(({ part, dto }) => {
    const ofPath: readonly Refusal[] = part === 'path' ? ['E0047R'] : [];
    if (!dto) return ofPath;
    const ofBody: readonly Refusal[] = part === 'body' ? ['E0001R', 'E0041R', 'E0048R'] : [];
    return [...ofPath, ...ofBody, ...refusalsOfDto(dto)];
  });
