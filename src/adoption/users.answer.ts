import { ApiProperty } from '../platform/http/openapi/openapi.js';

const COUNT = { type: 'integer', minimum: 0 } as const;

/** Users, and how many of them use keys. */
export class UsersView {
  @ApiProperty({ ...COUNT, example: 240, description: 'users of the relying party' })
  readonly total!: number;

  @ApiProperty({ ...COUNT, example: 200, description: 'with an enabled key' })
  readonly withKey!: number;

  @ApiProperty({ ...COUNT, example: 150, description: 'signed in with it in the last 30 days' })
  readonly active!: number;
}

/** Users who have a key, by the week in which they got the oldest that they still have. */
export class CurvePoint {
  @ApiProperty({ format: 'date', example: '2026-11-16', description: 'Monday of the week, UTC' })
  readonly from!: string;

  @ApiProperty({ ...COUNT, example: 180, description: 'had a key at its end' })
  readonly withKey!: number;
}
