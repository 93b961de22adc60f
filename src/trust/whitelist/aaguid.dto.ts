import { Transform } from 'class-transformer';
import { problem } from '../../platform/errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsName, MayBeEmpty, MayBeText } from '../../platform/validation/decorators.js';
import { code, Rule } from '../../platform/validation/rule.js';
import { isAaguidText } from '../../webauthn/aaguid.js';
import { OkAnswer } from '../../platform/http/ok.js';

export const IsAaguid = Rule('isAaguid', isAaguidText, (field) =>
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
    description: "for the page: words of a model's name, or how they begin",
  })
  @MayBeText(code('E0045R'))
  find?: string;
}

/** Body of POST /userapi/aaguid. */
export class AddAaguidDto extends AaguidDto {
  @ApiPropertyOptional({ example: 'YubiKey 5', description: 'else the name by metadata' })
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
  @ApiProperty({ description: 'whether there is a whitelist; else the answer is E0046R' })
  readonly enabled!: boolean;

  @ApiProperty({ type: [ListedModelView] })
  readonly aaguids!: readonly ListedModelView[];

  @ApiPropertyOptional({
    type: [String],
    example: ['Nothing proves the listed models.'],
    description: 'only where there is something to warn of',
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

  @ApiProperty({ description: 'its credentials stay' })
  readonly removed!: boolean;
}
