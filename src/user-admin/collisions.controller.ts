import { Get, Query, UseGuards } from '@nestjs/common';
import { PlainParametersGuard } from '../platform/http/body/parameters.guard.js';
import { ok, OkAnswer } from '../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { Operation } from '../platform/http/openapi/operation.js';
import { IsWithin, MayBeEmpty, MayBeText, ReadsNumber } from '../platform/validation/decorators.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import {
  CurrentScope,
  type AdminScope,
  ScopedController,
} from '../tenancy/scope/scope.interceptor.js';
import { ensureCovers } from '../tenancy/scope/visible-tenants.js';
import { MayNameRelyingParty } from '../tenancy/tenancy.validators.js';
import { MoveCounts, type Collision } from '../users/moves/move-counts.js';
import { COLLISIONS } from '../users/moves/move.entity.js';
import { cursorOf, positionOf } from './list-cursors.js';

const MAX_LIMIT = 1000;

class CollisionsQuery {
  @MayNameRelyingParty()
  relyingParty?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: 100,
    description: 'maximum number of collisions',
  })
  @MayBeEmpty()
  @ReadsNumber()
  @IsWithin(1, MAX_LIMIT)
  limit = 100;

  @ApiPropertyOptional({ example: '', description: '`next` from the previous answer' })
  @MayBeText()
  cursor?: string;
}

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

class CollisionsAnswer extends OkAnswer {
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

/** Users of the old domain of a move who are not linked to the new one, since their names collide there. */
@ScopedController('userapi/collisions', { audience: 'help desk', permission: 'users:read' })
export class CollisionsController {
  constructor(
    private readonly directory: RelyingPartyCache,
    private readonly moves: MoveCounts,
  ) {}

  @Get()
  @UseGuards(PlainParametersGuard)
  @Operation('listCollisions', 'Lists users of the old domain of a move who have a namesake here', {
    answers: CollisionsAnswer,
    refuses: ['E0025R', 'E0026R'],
  })
  async list(
    @Query(DtoPipe) { relyingParty, limit, cursor }: CollisionsQuery,
    @CurrentScope() scope: AdminScope,
  ): Promise<CollisionsAnswer> {
    const rp = scope.named(relyingParty);
    const former = this.directory.current.predecessorOf(rp);
    if (!former) return ok({ predecessor: null, collisions: [], next: null });
    ensureCovers(scope.account, former);
    const after = cursor === undefined ? Buffer.alloc(0) : positionOf(cursor).at;
    const { collisions, last } = await this.moves.collisions(rp, { after, limit });
    const next = last ? cursorOf({ domain: former.domain, at: last }) : null;
    return ok({ predecessor: former.domain, collisions, next });
  }
}
