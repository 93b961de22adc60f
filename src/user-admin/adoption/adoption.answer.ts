import { OkAnswer } from '../../http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../http/openapi.js';

/** How far people have come from an old domain. */
export class MoveView {
  @ApiProperty({ example: 'old.example.com', description: 'the predecessor' })
  readonly from!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 10000, description: 'users of the old one' })
  readonly users!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 8200,
    description: 'with a key at the new one',
  })
  readonly moved!: number;
}

/** Answer of GET /userapi/adoption; without `move` where nobody moves. */
export class AdoptionAnswer extends OkAnswer {
  @ApiProperty({ example: 'localhost' })
  readonly relyingParty!: string;

  @ApiPropertyOptional({ type: MoveView })
  readonly move?: MoveView;
}
