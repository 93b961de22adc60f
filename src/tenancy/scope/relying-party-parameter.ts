import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { MayBeText } from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/field-validator.js';

/** A field that may name the relying party of a call; see `AdminScope.named`. */
export const MayNameRelyingParty = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      example: 'localhost',
      description: 'domain of the relying party; by default the one in the header',
    }),
    MayBeText(code('E0045R')),
  );
