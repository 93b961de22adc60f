import type { PipeTransform, Type } from '@nestjs/common';
import type { Problem } from '../errors/reasons.js';
import { ApiError } from '../errors/api-error.js';
import { formOf } from './dto.pipe.js';
import { isObject } from './field-validator.js';

/** The mistakes of a form by field name. */
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
    if (!isObject(fields)) throw new ApiError('E0048R', 'request.notForm');
    return { fields, ...formOf(this.dto, trimmed(fields)) };
  }
}

const trimmed = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value] as const)
      .filter(([, value]) => value !== ''),
  );
