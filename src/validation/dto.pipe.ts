import { Injectable } from '@nestjs/common';
import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import type { ValidationError } from 'class-validator';
import { ApiError } from '../errors/api-error.js';
import type { Code } from '../errors/catalogue.js';
import type { Refusal } from '../errors/refusals.js';
import { isObject } from './field.js';
import type { Fault } from './field.js';
import { faultOf } from './flat-checks.js';
import { isCopyable } from './copyable.js';

const checkedInPlace = new WeakSet<object>();

/**
 * For the bodies of the four calls: they are held against the rules of their class as they came, and
 * handlers read the fields they know. What else a body holds has no effect. (class-transformer and
 * class-validator as they are cost a login 130 µs on Node 20; this costs what its comparisons cost.)
 */
export const CheckedInPlace = (): ClassDecorator => (dto) => {
  checkedInPlace.add(dto);
};

/**
 * What a request brings, as its DTO class:
 *
 * ```ts
 * issue(@Body(DtoPipe) dto: TicketDto)
 * list(@Query(DtoPipe) query: EventsQuery)
 * ```
 *
 * The linter refuses `@Body()` and `@Query()` without it.
 */
@Injectable()
export class DtoPipe implements PipeTransform {
  /**
   * @throws ApiError with the code of the first broken rule, in the order of the class's fields
   * @throws TypeError for a parameter whose type is no class: nothing would be checked
   */
  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (!metatype || metatype === Object) throw new TypeError('DtoPipe needs a DTO class');
    if (value === undefined) throw new ApiError('E0048R');
    if (!isObject(value)) throw new ApiError('E0001R');
    return checkedInPlace.has(metatype) ? asItCame(metatype, value) : dtoOf(metatype, value);
  }
}

/** The same, of a call that may come without fields, such as an upload; then there is no DTO. */
@Injectable()
export class OptionalDtoPipe extends DtoPipe {
  override transform(value: unknown, metadata: ArgumentMetadata): unknown {
    return value === undefined ? undefined : super.transform(value, metadata);
  }
}

/**
 * The body as its DTO class; nothing is copied or converted.
 *
 * @throws ApiError with the code of the first broken rule
 */
export function asItCame<Dto extends object>(dto: Type<Dto>, body: object): Dto {
  const fault = faultOf(dto, body);
  if (fault) throw errorOf(fault);
  return body as Dto;
}

/**
 * A plain object as an instance of its DTO class, made by class-transformer and held against the rules
 * by class-validator; fields that the class does not describe are left out.
 *
 * @throws ApiError with the code of the first broken rule, E0045R for an object that nests or holds too
 *   much
 */
export function dtoOf<Dto extends object>(dto: Type<Dto>, plain: object): Dto {
  const { instance, errors } = validated(dto, plain);
  const [first] = errors;
  if (first) throw errorOf(faultIn(first));
  return instance;
}

/** The DTO of a form, and what is wrong with it, in words, by the name of the field. */
export function formOf<Dto extends object>(dto: Type<Dto>, plain: object) {
  const { instance, errors } = validated(dto, plain);
  const faults = errors.map((error) => [error.property, errorOf(faultIn(error)).message] as const);
  return { dto: instance, faults: Object.fromEntries(faults) };
}

function validated<Dto extends object>(dto: Type<Dto>, plain: object) {
  if (!isCopyable(plain))
    throw new ApiError('E0045R', 'The parameters nest too deep, or are too many.');
  const instance = plainToInstance(dto, plain, { exposeUnsetFields: false });
  const errors = validateSync(instance, { whitelist: true, stopAtFirstError: true });
  return { instance, errors };
}

/** The codes of a DTO's rules; E0045R too where what is sent is copied, which it may be too large for. */
export function refusalsOfDto(dto: Type): readonly Refusal[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const ofRules = rules.flatMap(({ context }) =>
    Object.values((context ?? {}) as Readonly<Record<string, Code>>),
  );
  return checkedInPlace.has(dto) ? ofRules : [...ofRules, 'E0045R'];
}

/** A rule's fault from what class-validator says of it: the code stands in the rule's context. */
function faultIn({ property, constraints = {}, contexts = {} }: ValidationError): Fault {
  const [name = '', sentence = ''] = Object.entries(constraints)[0] ?? [];
  const code: Code | undefined = contexts[name]?.code;
  if (code === undefined) throw new TypeError(`the rule ${name} of "${property}" has no code`);
  return [code, sentence];
}

const errorOf = (fault: Fault): ApiError =>
  typeof fault === 'string' ? new ApiError(fault) : new ApiError(...fault);
