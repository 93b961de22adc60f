import { Body, Get, Post, Query, UseGuards } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { accountOf, type Account } from '../platform/access/accounts/account.js';
import { may } from '../platform/access/permissions.js';
import { ApiError } from '../platform/errors/api-error.js';
import { PlainParametersGuard } from '../platform/http/body/parameters.guard.js';
import { FormGuard, JsonGuard } from '../platform/http/body/request-body.js';
import { ok, OkAnswer } from '../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { Operation } from '../platform/http/openapi/operation.js';
import { LeadsToPage, successBanner, type RedirectWithBanner } from '../platform/pages/banners.js';
import { csvOf } from '../platform/pages/csv.js';
import { phrase } from '../platform/pages/languages/phrase.js';
import { Represent } from '../platform/pages/represent.js';
import {
  IsName,
  IsWithin,
  MayBeEmpty,
  MayBeText,
  ReadsNumber,
} from '../platform/validation/decorators.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { BEGINNING } from '../platform/database/row-ids.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../tenancy/scope/scope.interceptor.js';
import { nameKey } from '../tenancy/usernames/name-key.js';
import { ensureCovers } from '../tenancy/scope/visible-tenants.js';
import { MayNameRelyingParty } from '../tenancy/tenancy.validators.js';
import { MoveCounts, type Collision } from '../users/moves/move-counts.js';
import { COLLISIONS } from '../users/moves/move.entity.js';
import { Moves, linkingBy } from '../users/moves/moves.js';
import { cursorOf, positionOf } from './list-cursors.js';
import { USERS_PAGE, queryOf, userAddress } from './pages/page-frame.js';

const MAX_LIMIT = 10_000;

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

class LinkDto {
  @MayNameRelyingParty()
  relyingParty?: string;

  @ApiProperty({ example: 'lea', description: 'user name at the old domain' })
  @IsName()
  username!: string;
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

class LinkedAnswer extends OkAnswer {
  @ApiProperty({ example: 'lea' })
  readonly username!: string;

  @ApiProperty({ example: 'new.example.com', description: 'the new domain' })
  readonly relyingParty!: string;
}

/** Users of the predecessor who are not linked to users of the successor, since their names collide there. */
@ScopedController('userapi/collisions', { audience: 'help desk', permission: 'users:read' })
export class CollisionsController {
  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly counts: MoveCounts,
    private readonly moves: Moves,
  ) {}

  @Get()
  @UseGuards(PlainParametersGuard)
  @Represent<CollisionsAnswer>({
    html: ['collisions', (answer, request) => collisionsPage(answer, accountOf(request))],
    csv: ['collisions', collisionsCsv],
  })
  @Operation('listCollisions', 'Lists users of the old domain of a move who are nobody here', {
    answers: CollisionsAnswer,
    refuses: ['E0025R', 'E0026R'],
  })
  async list(
    @Query(DtoPipe) { relyingParty, limit, cursor }: CollisionsQuery,
    @CurrentParties() parties: CallParties,
  ): Promise<CollisionsAnswer> {
    const rp = parties.named(relyingParty);
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    const facts = { relyingParty: rp.domain, predecessor: predecessor?.domain ?? null };
    if (!predecessor) return ok({ ...facts, collisions: [], next: null });
    ensureCovers(parties.account, predecessor);
    const after = cursor === undefined ? BEGINNING : positionOf(cursor).at;
    const { collisions, last } = await this.counts.collisions(rp, predecessor, { after, limit });
    const next = last ? cursorOf({ domain: predecessor.domain, at: last }) : null;
    return ok({ ...facts, collisions, next });
  }

  @Post()
  @Audited(
    ({ body }) => ({
      action: 'user.link',
      relyingParty: body?.relyingParty,
      target: body?.username,
    }),
    { allow: 'tickets:issue', guards: [JsonGuard] },
  )
  @Operation('linkUser', 'Links a user of the old domain of a move to the new one by the name', {
    answers: LinkedAnswer,
    refuses: ['E0025R', 'E0026R', 'E0043R', 'E0044R', 'E0052R'],
  })
  async link(
    @Body(DtoPipe) { relyingParty, username }: LinkDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<LinkedAnswer> {
    const rp = parties.named(relyingParty);
    await this.linkAt(rp, username, call);
    return ok({ username, relyingParty: rp.domain });
  }

  @Post('form')
  @LeadsToPage()
  @Audited(
    ({ body }) => ({
      action: 'user.link',
      relyingParty: body?.relyingParty,
      target: body?.username,
    }),
    { allow: 'tickets:issue', guards: [FormGuard] },
  )
  async linkByForm(
    @Body(DtoPipe) { relyingParty, username }: LinkDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const rp = parties.named(relyingParty);
    await this.linkAt(rp, username, call);
    const banner = successBanner(phrase('users:collisions.linked', { name: username }));
    return { url: collisionsAddress(rp.domain), banner };
  }

  /**
   * Links the user of this name at the predecessor; the same name at the successor may lead to another user of the
   * predecessor.
   *
   * @throws ApiError E0043R for an application key, E0044R if no user has the name or it leads to another one, E0052R
   */
  private async linkAt(rp: RelyingParty, username: string, call: AuditedCall): Promise<void> {
    const facts = { tenant: rp.tenant, relyingParty: rp.domain, target: username };
    call.about(facts);
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    ensureCovers(call.account, rp, ...(predecessor ? [predecessor] : []));
    const linking = linkingBy(call.account);
    const { predecessorUsername, steps } = await this.moves.linkByName(rp, username, linking);
    if (!predecessor || predecessorUsername === undefined)
      throw new ApiError('E0044R', 'user.noMatch');
    if (nameKey(predecessor, predecessorUsername) !== nameKey(predecessor, username)) {
      throw new ApiError('E0044R', 'user.linkedElsewhere');
    }
    if (await this.moves.isLinkedByName(rp, username)) return call.omitRow();
    if (!(await call.commit(steps, facts))) throw new ApiError('E0052R', 'user.changing');
  }
}

const collisionsAddress = (relyingParty: string, more: { cursor?: string } = {}): string =>
  `/userapi/collisions${queryOf({ relyingParty, ...more })}`;

function collisionsPage(
  { relyingParty, predecessor, collisions, next }: CollisionsAnswer,
  account: Account | undefined,
) {
  return {
    title: phrase('users:collisions.title'),
    ...USERS_PAGE,
    relyingParty,
    predecessor,
    mayLink: account === undefined || may(account, 'tickets:issue'),
    collisions: collisions.map(({ username, reason }) => ({
      username,
      // Somebody else is that person.
      isFinal: reason === 'userIdTaken',
      reason: phrase(`users:collisions.reasons.${reason}`),
      address: userAddress(username, predecessor ?? relyingParty),
    })),
    file: `${collisionsAddress(relyingParty)}&format=spreadsheet&limit=${MAX_LIMIT}`,
    next: next === null ? undefined : collisionsAddress(relyingParty, { cursor: next }),
  };
}

function collisionsCsv({ collisions }: CollisionsAnswer): string {
  const rows = collisions.map(({ username, reason }) => [username, reason]);
  return csvOf(['username', 'reason'], rows);
}
