import { Transform } from 'class-transformer';
import { problem } from '../../platform/errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsName, MayBeEmpty, MayBeText } from '../../platform/validation/decorators.js';
import { code, FieldValidator } from '../../platform/validation/field-validator.js';
import { isAaguidText } from '../../webauthn/aaguid.js';
import { OkAnswer } from '../../platform/http/ok.js';

export const IsAaguid = FieldValidator('isAaguid', isAaguidText, (field) =>
  problem('field.aaguid', { field }),
);

/** An AAGUID is the same in either case; the list has it in lower case. */
const InLowerCase = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.toLowerCase() : value,
  );

/** Names a model: body of the form that removes it from the list, and parameter of DELETE. */
export class AaguidDto {
  @ApiProperty({ example: 'ee882879-721c-4913-9775-3dfcce97072a' })
  @InLowerCase()
  @IsAaguid(code('E0045R'))
  aaguid!: string;
}

export class ModelsPageQuery {
  @ApiPropertyOptional({
    example: 'yubikey 5',
    description: 'search words, or beginnings of words, in the names of models; for the page',
  })
  @MayBeText(code('E0045R'))
  find?: string;
}

/** Body of POST /userapi/aaguid. */
export class AddAaguidDto extends AaguidDto {
  @ApiPropertyOptional({
    example: 'YubiKey 5',
    description: 'name of the model; by default the name in the metadata',
  })
  @MayBeEmpty()
  @IsName(code('E0045R'))
  name?: string;
}

const AAGUID = { format: 'uuid', example: 'ee882879-721c-4913-9775-3dfcce97072a' };

export class ListedModelView {
  @ApiProperty(AAGUID)
  readonly aaguid!: string;

  @ApiProperty({ type: String, nullable: true, example: 'YubiKey 5' })
  readonly name!: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly addedAt!: string;

  @ApiProperty({ example: 'admin' })
  readonly addedBy!: string;
}

export class WhitelistAnswer extends OkAnswer {
  @ApiProperty({
    description: 'whether the whitelist is used; otherwise the call is refused with E0046R',
  })
  readonly enabled!: boolean;

  @ApiProperty({ type: [ListedModelView] })
  readonly aaguids!: readonly ListedModelView[];

  @ApiPropertyOptional({
    type: [String],
    example: ['Nothing proves the listed models.'],
    description: 'warnings about the whitelist; absent if there are none',
  })
  readonly warnings?: readonly string[] | undefined;
}

export class ModelListedAnswer extends ListedModelView implements OkAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ enum: [''] })
  readonly errorMessage!: '';
}

export class ModelRemovedAnswer extends OkAnswer {
  @ApiProperty(AAGUID)
  readonly aaguid!: string;

  @ApiProperty({ description: 'whether the model was removed from the whitelist; its keys stay' })
  readonly removed!: boolean;
}
