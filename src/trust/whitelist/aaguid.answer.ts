import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';

const AAGUID = { format: 'uuid', example: 'ee882879-721c-4913-9775-3dfcce97072a' };

/** A model of the whitelist. */
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

/** Answer of GET /userapi/aaguid. */
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

/** Answer of POST /userapi/aaguid. */
export class ModelListedAnswer extends ListedModelView implements OkAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ enum: [''] })
  readonly errorMessage!: '';
}

/** Answer of DELETE /userapi/aaguid/:aaguid. */
export class ModelRemovedAnswer extends OkAnswer {
  @ApiProperty(AAGUID)
  readonly aaguid!: string;

  @ApiProperty({ description: 'its credentials stay' })
  readonly removed!: boolean;
}
