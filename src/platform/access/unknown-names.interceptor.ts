import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { map, type Observable } from 'rxjs';
import { ApiError, Refuses } from '../errors/api-error.js';
import { handlerParameters } from '../http/openapi/handler-parameters.js';
import { OtherForms, operationFactsOf, type AnswerForm } from '../http/openapi/operation.js';
import { JsonStream } from '../http/text-file.js';
import { isObject } from '../validation/field-validator.js';
import {
  knownFieldsOf,
  guessField,
  shortened,
  unknownFieldsOf,
  warningsAbout,
  type UnknownField,
} from '../validation/unknown-fields.js';
import { isReading } from './cross-site.guard.js';
import { wantedForm } from './wanted-form.js';

/** Names that a handler or all handlers of a controller know besides the fields of their DTOs. */
export const AlsoTakes = Reflector.createDecorator<readonly string[]>();

/**
 * For a handler without an operation whose answer is a file to download: a program may request it too, and the file has
 * no place for warnings. An unknown name is refused, since the file would be of more than was wanted.
 */
export const AnswersFile = Reflector.createDecorator<undefined, boolean>({
  transform: () => true,
});

/** The value of `format` for records in the form of OCSF, which the DTOs of some handlers know. */
const OCSF = 'ocsf';

/** What a handler knows of a request. */
interface KnownNames {
  readonly query: Type | undefined;
  readonly body: Type | undefined;
  /** Beside the fields of the DTOs. */
  readonly others: ReadonlySet<string>;
  readonly answers: 'json' | 'text';
  readonly forms: readonly AnswerForm[];
  /** The values of `format`; none if the parameter means nothing, or is only a field of the DTO. */
  readonly formats: readonly string[];
  readonly allowsUnknown: boolean;
  readonly refusesMisspelt: boolean;
}

/**
 * Reports the names in a call's query and body that its handler does not know, so that no misspelt one is ignored in
 * silence. A reading call is refused: without its filter, it would answer with everything. So is a call whose answer has
 * no place for warnings, and a call that issues or revokes secrets if the name is misspelt. Every other call is done, and
 * its answer names them in `warnings`. A page ignores them, since links may have parameters of other programs.
 */
@Injectable()
@Refuses('E0045R')
export class UnknownNamesInterceptor implements NestInterceptor {
  private readonly known = new Map<object, KnownNames | undefined>();

  constructor(private readonly reflector: Reflector) {}

  /** @throws ApiError E0045R */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const known = this.knownBy(context);
    if (!known) return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    refuseUnknownFormat(request.query, known);
    const ofQuery = unknownIn(request.query, known.query, known);
    const ofBody = unknownIn(request.body, known.body, known);
    const unknown = [...ofQuery, ...ofBody];
    const form = wantedForm(request, known.forms);
    if (unknown.length === 0 || form === 'html') return next.handle();
    if (isReading(request) && !known.allowsUnknown) throw refusalOf(unknown, known);
    if (!isReading(request)) refuseMisplaced(ofQuery, known);
    if (known.refusesMisspelt) refuseMisspelt(unknown, known);
    if (form !== 'json' || known.answers === 'text') throw refusalOf(unknown, known);
    const warnings = warningsAbout(unknown);
    return next.handle().pipe(map((answer: unknown) => withWarnings(answer, warnings)));
  }

  /** Cached, since it is read at each call; `undefined` for pages. */
  private knownBy(context: ExecutionContext): KnownNames | undefined {
    const handler = context.getHandler();
    if (!this.known.has(handler)) this.known.set(handler, this.read(context));
    return this.known.get(handler);
  }

  private read(context: ExecutionContext): KnownNames | undefined {
    const handler = context.getHandler();
    const isFile = this.reflector.get(AnswersFile, handler) ?? false;
    const operation = operationFactsOf(handler);
    const answers = operation?.answers ?? (isFile ? 'text' : undefined);
    if (!answers) return undefined;
    const controller = context.getClass<object>();
    const parameters = handlerParameters(controller.prototype, handler.name);
    const dtoOf = (part: string) => parameters.find((one) => one.part === part)?.dto;
    const forms = this.reflector.get(OtherForms, handler) ?? [];
    const query = dtoOf('query');
    const formats = isFile ? ['csv'] : forms;
    return {
      query,
      body: dtoOf('body'),
      others: new Set([
        'formToken',
        ...(formats.length > 0 ? ['format'] : []),
        ...(operation?.alsoTakes ?? []),
        ...this.reflector.getAllAndMerge(AlsoTakes, [handler, controller]),
      ]),
      answers,
      forms,
      formats: formats.length > 0 ? formatsOf(formats, query) : [],
      allowsUnknown: operation?.allowsUnknownNames ?? false,
      refusesMisspelt: operation?.refusesMisspeltNames ?? false,
    };
  }
}

const formatsOf = (forms: readonly string[], query: Type | undefined): readonly string[] => [
  'json',
  ...forms,
  ...(forms.includes('csv') ? ['spreadsheet'] : []),
  ...(knownFieldsOf(query).has('format') ? [OCSF] : []),
];

/**
 * Refuses a `format` that the call does not have: it would answer in another one.
 *
 * @throws ApiError E0045R
 */
function refuseUnknownFormat({ format = '' }: Request['query'], { formats }: KnownNames): void {
  if (format === '' || formats.length === 0 || formats.some((one) => one === format)) return;
  const words = formats.join(', ');
  throw new ApiError('E0045R', 'field.oneOf', { field: 'format', words }, { field: 'format' });
}

const unknownIn = (
  sent: unknown,
  dto: Type | undefined,
  { others }: KnownNames,
): readonly UnknownField[] =>
  isObject(sent)
    ? unknownFieldsOf(dto, sent).filter(({ name, path }) => path !== '' || !others.has(name))
    : [];

/**
 * Refuses parameters in the address that the call would read from its body.
 *
 * @throws ApiError E0045R
 */
function refuseMisplaced(ofQuery: readonly UnknownField[], { body }: KnownNames): void {
  const fields = knownFieldsOf(body);
  if (ofQuery.some(({ name }) => fields.has(name))) {
    throw new ApiError('E0045R', 'request.parametersInBody');
  }
}

/**
 * Refuses names, also in the address, that are probably misspelt fields of the body.
 *
 * @throws ApiError E0045R
 */
function refuseMisspelt(unknown: readonly UnknownField[], names: KnownNames): void {
  const known = knownFieldsOf(names.body);
  const misspelt = unknown
    .map((field) => (field.path === '' ? { ...field, known } : field))
    .filter((field) => guessField(field) !== undefined);
  if (misspelt.length > 0) throw refusalOf(misspelt, names);
}

/** Names the first unknown name, and what the call knows in its place. */
function refusalOf([first]: readonly UnknownField[], { query }: KnownNames): ApiError {
  if (!first) throw new Error('there is no unknown name');
  const ofQuery = knownFieldsOf(query);
  const known = first.known.size > 0 ? first.known : ofQuery;
  if (first.known !== ofQuery && ofQuery.has(first.name)) {
    return new ApiError('E0045R', 'request.parametersInAddress');
  }
  const name = `${first.path}${shortened(first.name)}`;
  return known.size === 0
    ? new ApiError('E0045R', 'parameters.none', { name })
    : new ApiError('E0045R', 'parameters.unknown', { name, names: [...known].join(', ') });
}

/** An answer with warnings before its own; unchanged if it is no JSON object. */
export function withWarnings(answer: unknown, warnings: readonly string[]): unknown {
  if (answer instanceof JsonStream) return answer.withWarnings(warnings);
  if (!isObject(answer)) return answer;
  const others = (answer['warnings'] as readonly string[] | undefined) ?? [];
  return { ...answer, warnings: [...warnings, ...others] };
}
