import { ApiCount, ApiProperty } from '../platform/http/openapi/openapi.js';

/** Users, and how many of them use keys. */
export class UsersView {
  @ApiCount({ example: 240, description: 'number of users of the relying party' })
  readonly total!: number;

  @ApiCount({ example: 200, description: 'number of users who have an enabled key' })
  readonly withKey!: number;

  @ApiCount({
    example: 150,
    description: 'number of users who signed in with a key in the last 30 days',
  })
  readonly active!: number;
}

/** Users who have a key, by the week in which they got the oldest one that still exists. */
export class CurvePoint {
  @ApiProperty({ format: 'date', example: '2026-11-16', description: 'Monday of the week (UTC)' })
  readonly from!: string;

  @ApiCount({
    example: 180,
    description: "number of today's users with a key who had one at the end of the week",
  })
  readonly withKey!: number;
}

/** The progress of a move of users from an old domain. */
export class MoveView {
  @ApiProperty({ example: 'old.example.com', description: 'domain of the predecessor' })
  readonly from!: string;

  @ApiCount({ example: 10000, description: 'number of users at the old domain' })
  readonly users!: number;

  @ApiCount({
    example: 8200,
    description: 'number of these users who have a key at the new domain',
  })
  readonly moved!: number;

  @ApiCount({
    example: 12,
    description:
      'number of these users who are nobody at the new domain: `GET /userapi/collisions`',
  })
  readonly collisions!: number;
}
