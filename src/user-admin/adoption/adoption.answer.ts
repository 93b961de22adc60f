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

const COUNT = { type: 'integer', minimum: 0 } as const;

/** What came of ceremonies that were answered. */
export class OutcomesView {
  @ApiProperty({ ...COUNT, example: 120 })
  readonly finished!: number;

  @ApiProperty({ ...COUNT, example: 4 })
  readonly refused!: number;
}

/** How many were refused with a code. */
export class RefusedView {
  @ApiProperty({ example: 'E0031R' })
  readonly errorCode!: string;

  @ApiProperty({ ...COUNT, example: 1 })
  readonly registrations!: number;

  @ApiProperty({ ...COUNT, example: 3 })
  readonly authentications!: number;
}

/** The ceremonies of the last seven days. */
export class CeremoniesView {
  @ApiProperty({ format: 'date-time' })
  readonly since!: string;

  @ApiProperty({ type: OutcomesView })
  readonly registrations!: OutcomesView;

  @ApiProperty({ type: OutcomesView })
  readonly authentications!: OutcomesView;

  @ApiProperty({ type: [RefusedView], description: 'by code; of a flood a sample is kept' })
  readonly refusals!: readonly RefusedView[];
}

/** Keys by what they are. */
export class KeysView {
  @ApiProperty({ ...COUNT, example: 300 })
  readonly total!: number;

  @ApiProperty({ ...COUNT, example: 220, description: 'the first key of its user' })
  readonly first!: number;

  @ApiProperty({ ...COUNT, example: 80, description: 'its user had a key before' })
  readonly further!: number;

  @ApiProperty({ ...COUNT, example: 190, description: 'can be synced or backed up' })
  readonly synced!: number;

  @ApiProperty({ ...COUNT, example: 110, description: 'stays on its device' })
  readonly bound!: number;

  @ApiProperty({ description: 'false: there are more keys, and these are a sample of them' })
  readonly complete!: boolean;
}

/** The keys of a model. */
export class ModelView {
  @ApiProperty({ format: 'uuid', example: 'ee882879-721c-4913-9775-3dfcce97072a' })
  readonly aaguid!: string;

  @ApiProperty({ type: String, nullable: true, example: 'YubiKey 5 Series' })
  readonly authenticatorName!: string | null;

  @ApiProperty({ ...COUNT, example: 42 })
  readonly keys!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'those that can be synced' })
  readonly synced!: number;

  @ApiProperty({ ...COUNT, example: 42, description: 'those that stay on their device' })
  readonly bound!: number;
}

/** The keys that were registered in a week and are still there. */
export class WeekView {
  @ApiProperty({ format: 'date', example: '2026-11-16', description: 'its Monday, UTC' })
  readonly from!: string;

  @ApiProperty({ ...COUNT, example: 30 })
  readonly registrations!: number;

  @ApiProperty({ ...COUNT, example: 22, description: 'first keys of their users' })
  readonly first!: number;

  @ApiProperty({ ...COUNT, example: 8, description: 'their users had a key before' })
  readonly further!: number;

  @ApiProperty({ ...COUNT, example: 19, description: 'can be synced' })
  readonly synced!: number;

  @ApiProperty({ ...COUNT, example: 11, description: 'stay on their device' })
  readonly bound!: number;
}

/** Answer of GET /userapi/adoption; without `move` where nobody moves. */
export class AdoptionAnswer extends OkAnswer {
  @ApiProperty({ example: 'localhost' })
  readonly relyingParty!: string;

  @ApiProperty({ type: CeremoniesView })
  readonly ceremonies!: CeremoniesView;

  @ApiProperty({ type: KeysView })
  readonly keys!: KeysView;

  @ApiProperty({ type: [ModelView], description: 'the most frequent first' })
  readonly models!: readonly ModelView[];

  @ApiProperty({ type: [WeekView], description: 'the last twelve, the oldest first' })
  readonly weeks!: readonly WeekView[];

  @ApiPropertyOptional({ type: MoveView })
  readonly move?: MoveView;
}
