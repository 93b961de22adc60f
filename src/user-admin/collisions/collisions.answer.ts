import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import type { Collision } from '../../users/moves/move-counts.js';
import { COLLISIONS } from '../../users/moves/move.entity.js';

class CollisionView implements Collision {
  @ApiProperty({ example: 'lea', description: 'user name at the old domain' })
  readonly username!: string;

  @ApiProperty({
    enum: COLLISIONS,
    description:
      'what prevented a link: another user of the new domain had the name, or gave it up, or the ' +
      'user there with the same `userId` was linked to another user of the old one, or an ' +
      'application key that covers only the old domain let the user register',
  })
  readonly reason!: Collision['reason'];
}

export class CollisionsAnswer extends OkAnswer {
  @ApiProperty({ example: 'new.example.com', description: 'the new domain' })
  readonly relyingParty!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'old.example.com',
    description: 'the old domain; `null` if there is no move',
  })
  readonly predecessor!: string | null;

  @ApiProperty({
    type: [CollisionView],
    description: 'in the order in which the users of the old domain were created',
  })
  readonly collisions!: readonly Collision[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: '`cursor` with which to continue; `null` at the end of the list',
  })
  readonly next!: string | null;
}

export class LinkedAnswer extends OkAnswer {
  @ApiProperty({ example: 'lea' })
  readonly username!: string;

  @ApiProperty({ example: 'new.example.com', description: 'the new domain' })
  readonly relyingParty!: string;
}
