import { Body, Get, Post, Query, UseGuards, type CanActivate, type Type } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { accountOf } from '../../platform/access/accounts/account.js';
import { BEGINNING } from '../../platform/database/row-ids.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { PlainParametersGuard } from '../../platform/http/body/parameters.guard.js';
import { FormGuard, JsonGuard } from '../../platform/http/body/request-body.js';
import { ok } from '../../platform/http/ok.js';
import { Operation } from '../../platform/http/openapi/operation.js';
import {
  LeadsToPage,
  successBanner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Represent } from '../../platform/pages/represent.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../../tenancy/scope/scope.interceptor.js';
import { ensureCovers } from '../../tenancy/scope/visible-tenants.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { MoveCounts } from '../../users/moves/move-counts.js';
import { Moves, linkingBy } from '../../users/moves/moves.js';
import { cursorOf, positionOf } from '../list-cursors.js';
import { CollisionsAnswer, LinkedAnswer } from './collisions.answer.js';
import { CollisionsQuery, LinkDto } from './collisions.dto.js';
import { collisionsAddress, collisionsCsv, collisionsPage } from './collisions.view.js';

/** Decorates a handler that links the user named by the body, `LinkDto`. */
const LinksUser = (bodyGuard: Type<CanActivate>) =>
  Audited(
    ({ body }) => ({
      action: 'user.link',
      relyingParty: body?.relyingParty,
      target: body?.username,
    }),
    { allow: 'tickets:issue', guards: [bodyGuard] },
  );

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
  @LinksUser(JsonGuard)
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
  @LinksUser(FormGuard)
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
