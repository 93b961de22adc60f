import type { Type } from '@nestjs/common';
import { OptionMistakes } from '../platform/config/option-types.js';
import { ApiError } from '../platform/errors/api-error.js';
import { dtoOf } from '../platform/validation/dto.pipe.js';

/**
 * Checks the arguments of a command by the same validators as over HTTP.
 *
 * @param fields those that are `undefined` were not given
 * @throws OptionMistakes if one is wrong, as for other mistakes on the command line
 */
export function checkedFields<Dto extends object>(dto: Type<Dto>, fields: object): Dto {
  try {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    return dtoOf(dto, Object.fromEntries(given));
  } catch (error) {
    throw error instanceof ApiError ? new OptionMistakes([error.message]) : error;
  }
}

/** The items of a comma-separated list. */
export const commaList = (text: string | undefined): string[] | undefined =>
  text?.split(',').map((item) => item.trim());
