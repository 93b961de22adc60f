import { ApiWarnings, OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';

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
    description: 'warnings about the whitelist and unknown fields; absent if there are none',
  })
  override readonly warnings?: readonly string[] | undefined;
}

export class ModelListedAnswer extends ListedModelView implements OkAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ enum: [''] })
  readonly errorMessage!: '';

  @ApiWarnings()
  readonly warnings?: readonly string[] | undefined;
}

export class ModelRemovedAnswer extends OkAnswer {
  @ApiProperty(AAGUID)
  readonly aaguid!: string;

  @ApiProperty({ description: 'whether the model was removed from the whitelist; its keys stay' })
  readonly removed!: boolean;
}
