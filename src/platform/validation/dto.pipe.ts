import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import { ApiError, type Refusal } from '../errors/api-error.js';
import type { Problem } from '../errors/reasons.js';
import { dropNulls, firstFault, faultsOf, fieldsOf } from './flat-checks.js';
import { isCopyable } from './nesting.js';
import { errorOf, isObject, type CodedOptions } from './field-validator.js';

const checkedInPlace = new WeakSet<object>();

/**
 * Marks the DTO classes of the four calls, whose bodies are validated without being copied. `isCopyable` would refuse
 * device metadata with many members and extensions with many levels, which these calls accept, and a copy would lose
 * the unknown fields that `warnings` name.
 */
export const CheckedInPlace = (): ClassDecorator => (dto) => {
  checkedInPlace.add(dto);
};

/**
 * Validates the body, query or path parameters of a request and converts them to their DTO class:
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
   * @throws ApiError with the code of the first failed check, in the order of the class's fields
   * @throws TypeError for a parameter whose type is not a class, since nothing would be validated
   */
  transform(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (!metatype || metatype === Object) throw new TypeError('DtoPipe needs a DTO class');
    if (value === undefined)
      throw ApiError.unsupportedType('request.contentType', 'application/json');
    if (!isObject(value)) throw new ApiError('E0001R');
    return checkedInPlace.has(metatype)
      ? validatedInPlace(metatype, value)
      : dtoOf(metatype, value);
  }
}

/** `DtoPipe` for a call whose body is optional, for example an upload; the DTO is `undefined` without one. */
@Injectable()
export class OptionalDtoPipe extends DtoPipe {
  override transform(value: unknown, metadata: ArgumentMetadata): unknown {
    return value === undefined ? undefined : super.transform(value, metadata);
  }
}

/**
 * The validated body, typed as its DTO class; nothing is copied or converted. Optional members that are `null` are
 * removed.
 *
 * @throws ApiError with the code of the first failed check
 */
function validatedInPlace<Dto extends object>(dto: Type<Dto>, body: object): Dto {
  dropNulls(dto, body);
  const fault = firstFault(dto, body);
  if (fault) throw errorOf(fault);
  return body as Dto;
}

/**
 * A plain object as an instance of its DTO class, created by class-transformer, without fields that the class does not
 * describe.
 *
 * @throws ApiError with the code of the first failed check, E0045R for an object with too many levels or
 *   members
 */
export function dtoOf<Dto extends object>(dto: Type<Dto>, plain: object): Dto {
  const instance = copied(dto, plain);
  const fault = firstFault(dto, instance);
  if (fault) throw errorOf(fault);
  return withoutUnknownFields(dto, instance);
}

function copied<Dto extends object>(dto: Type<Dto>, plain: object): Dto {
  if (!isCopyable(plain)) throw new ApiError('E0045R', 'parameters.tooMany');
  return plainToInstance(dto, plain, { exposeUnsetFields: false });
}

function withoutUnknownFields<Dto extends object>(dto: Type<Dto>, instance: Dto): Dto {
  const fields = fieldsOf(dto);
  for (const name of Object.keys(instance)) {
    if (!fields.has(name)) Reflect.deleteProperty(instance, name);
  }
  return instance;
}

/** The codes of a DTO's checks, and E0045R if the object is copied, since it may be too large for that. */
export function refusalsOfDto(dto: Type): readonly Refusal[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const codes = metadata.flatMap(({ context }) => {
    const coded = context as CodedOptions['context'] | undefined;
    return coded ? [coded.code] : [];
  });
  return checkedInPlace.has(dto) ? codes : [...codes, 'E0045R'];
}

export type Faults = Readonly<Record<string, Problem>>;

/** A form as it was sent, so that its page can show it again if it has mistakes. */
export interface SentForm<Dto extends object = object> {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly dto: Dto;
  /** If there are any, fields of the DTO may contain wrong values. */
  readonly faults: Faults;
}

/**
 * For pages that are shown again if their form has mistakes: validates the form by the validators of its DTO like
 * `DtoPipe`, but refuses nothing. Texts are trimmed, and empty ones count as absent.
 *
 * ```ts
 * rename(@Body(new FormPipe(ChangeTenantDto)) form: SentForm<ChangeTenantDto>)
 * ```
 */
export class FormPipe<Dto extends object> implements PipeTransform<unknown, SentForm<Dto>> {
  constructor(private readonly dto: Type<Dto>) {}

  /** @throws ApiError E0048R for a request without fields, E0045R for far too many */
  transform(fields: unknown): SentForm<Dto> {
    if (!isObject(fields))
      throw ApiError.unsupportedType('request.notForm', 'application/x-www-form-urlencoded');
    const dto = withoutUnknownFields(this.dto, copied(this.dto, trimmed(fields)));
    const faults = faultsOf(this.dto, dto).map(
      ([field, fault]) => [field, errorOf(fault).problem] as const,
    );
    return { fields, dto, faults: Object.fromEntries(faults) };
  }
}

const trimmed = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value] as const)
      .filter(([, value]) => value !== ''),
  );
