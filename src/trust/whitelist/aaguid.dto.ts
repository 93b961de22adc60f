import { problem } from '../../platform/errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsName, MayBeEmpty, MayBeText, Reads } from '../../platform/validation/decorators.js';
import { FieldValidator } from '../../platform/validation/field-validator.js';
import { isAaguidText } from '../../webauthn/aaguid.js';

export const IsAaguid = FieldValidator('isAaguid', isAaguidText, (field) =>
  problem('field.aaguid', { field }),
);

/** Names a model: body of the form that removes it from the list, and parameter of DELETE. */
export class AaguidDto {
  @ApiProperty({ example: 'ee882879-721c-4913-9775-3dfcce97072a' })
  @Reads((text) => text.toLowerCase())
  @IsAaguid()
  aaguid!: string;
}

export class ModelsPageQuery {
  @ApiPropertyOptional({
    example: 'yubikey 5',
    description: 'search words, or beginnings of words, in the names of models; for the page',
  })
  @MayBeText()
  find?: string;
}

/** Body of POST /userapi/aaguid. */
export class AddAaguidDto extends AaguidDto {
  @ApiPropertyOptional({
    example: 'YubiKey 5',
    description: 'name of the model; by default the name in the metadata',
  })
  @MayBeEmpty()
  @IsName()
  name?: string;
}
