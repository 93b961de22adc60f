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

/** The users of a relying party, and how many it expects. */
export class ExpectedUsersView extends UsersView {
  @ApiCount({
    example: 300,
    description:
      'number that shares are of: `expectedUsers` of the target, or `total` if it is greater',
  })
  readonly expected!: number;
}

/** The users to whom a profile of the policy applies. */
export class ProfileUsersView extends UsersView {
  @ApiProperty({ example: 'Administrators' })
  readonly name!: string;

  @ApiProperty({ example: 'administrators' })
  readonly group!: string;

  @ApiProperty({
    description: 'whether all of them were counted; false: only the first 50,000 were',
  })
  readonly complete!: boolean;
}

/** The users of a relying party at the end of a week. */
export class CurvePoint {
  @ApiProperty({ format: 'date', example: '2026-11-16', description: 'Monday of the week (UTC)' })
  readonly from!: string;

  @ApiProperty({
    format: 'date',
    example: '2026-11-22',
    description: 'last day of the week on which the users were counted (UTC)',
  })
  readonly day!: string;

  @ApiCount({ example: 240, description: 'number of users on that day' })
  readonly users!: number;

  @ApiCount({ example: 180, description: 'number of users who had an enabled key on that day' })
  readonly withKey!: number;
}

/** The progress of a move of users. */
export class MoveView {
  @ApiProperty({ example: 'old.example.com', description: 'the old domain' })
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
