import { Body, Delete, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { atRelyingParty } from '../audit/request-rows.js';
import { Clock } from '../platform/common/clock.js';
import { JsonGuard } from '../platform/http/body/request-body.js';
import { sentenceOf } from '../platform/errors/reasons.js';
import { ok } from '../platform/http/ok.js';
import { Operation } from '../platform/http/openapi/operation.js';
import { OwnOrigin } from '../platform/common/from-request.js';
import { AllowHere } from '../platform/access/allow.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../tenancy/scope/scope.interceptor.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { ensureCovers } from '../tenancy/scope/visible-tenants.js';
import { CurrentRp } from '../tenancy/scope/tenant.interceptor.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { linkingBy } from '../users/moves/moves.js';
import {
  InvitationAnswer,
  InvitationListAnswer,
  IssuedInvitationAnswer,
  type InvitationView,
} from './invitation.answer.js';
import { InvitationDto, InvitationsQuery } from './invitation.dto.js';
import { InvitationIssue } from './invitation-issue.js';
import { Invitations } from './invitations.js';
import { invitationStateOf } from './invitation-state.js';
import type { Invitation } from './invitation.entity.js';

/** The current state of an invitation. */
const invitationView = (rp: RelyingParty, invitation: Invitation, now: number): InvitationView => ({
  id: invitation.id.toString('base64url'),
  username: invitation.username,
  relyingParty: rp.domain,
  state: invitationStateOf(invitation, now),
  minKeys: invitation.minKeys,
  keys: invitation.keysMade,
  issuedBy: invitation.issuedBy,
  issuedAt: new Date(invitation.issuedAt).toISOString(),
  expiresAt: new Date(invitation.expiresAt).toISOString(),
});

/** Links with which users register keys, for the help desk and for the customer's backend. */
@UseGuards(JsonGuard)
@ScopedController('userapi/invitations', {
  audience: 'integrator',
  permission: 'tickets:issue',
  parameters: { id: { example: 'Zk3Cq0mN1rUe4uXb8yT2Pg', description: 'ID of the invitation' } },
})
export class InvitationsController {
  constructor(
    private readonly issuing: InvitationIssue,
    private readonly invitations: Invitations,
    private readonly relyingParties: RelyingPartyCache,
    private readonly clock: Clock,
  ) {}

  @Post()
  @Audited(({ body }) => ({
    action: 'invitation.issue',
    relyingParty: body?.relyingParty,
    target: body?.username,
  }))
  @Operation('issueInvitation', 'Issues a link by which a user registers one or more keys', {
    answers: IssuedInvitationAnswer,
    refuses: ['E0025R', 'E0026R', 'E0043R', 'E0045R', 'E0046R', 'E0052R'],
  })
  async issue(
    @Body(DtoPipe) { link, ...wish }: InvitationDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
    @OwnOrigin() origin: string,
  ) {
    const rp = parties.named(wish.relyingParty);
    call.about(atRelyingParty(rp));
    const predecessor = link ? this.relyingParties.current.predecessorOf(rp) : undefined;
    ensureCovers(parties.account, rp, ...(predecessor ? [predecessor] : []));
    const { url, code, invitation, isLinked, warning } = await this.issuing.issue(call, rp, {
      ...wish,
      linking: link ? linkingBy(parties.account) : 'none',
      issuer: parties.account,
      origin,
    });
    const view = invitationView(rp, invitation, this.clock.now());
    return ok({
      url,
      code,
      expiresAt: view.expiresAt,
      linked: isLinked,
      invitation: view,
      ...(warning && { warnings: [sentenceOf(warning)] }),
    });
  }

  @Get()
  @AllowHere('invitations:read')
  @Operation('listInvitations', 'Lists invitations with their states', {
    answers: InvitationListAnswer,
  })
  async list(@Query(DtoPipe) { username }: InvitationsQuery, @CurrentRp() rp: RelyingParty) {
    const found = await this.invitations.list(rp, username);
    return ok({ invitations: found.map((one) => invitationView(rp, one, this.clock.now())) });
  }

  @Get(':id')
  @AllowHere('invitations:read')
  @Operation('readIssuedInvitation', 'Shows an invitation with its state', {
    answers: InvitationAnswer,
    refuses: ['E0044R'],
  })
  async read(@Param('id') id: string, @CurrentRp() rp: RelyingParty) {
    const invitation = await this.invitations.get(rp, id);
    return ok({ invitation: invitationView(rp, invitation, this.clock.now()) });
  }

  @Delete(':id')
  @Audited('invitation.revoke', { target: 'id' })
  @Operation('revokeInvitation', 'Revokes an invitation: its link no longer works', {
    answers: InvitationAnswer,
    refuses: ['E0044R', 'E0045R'],
  })
  async revoke(
    @Param('id') id: string,
    @CurrentRp() rp: RelyingParty,
    @CurrentCall() call: AuditedCall,
  ) {
    call.about(atRelyingParty(rp));
    const invitation = await this.invitations.revoke(call, rp, id);
    return ok({ invitation: invitationView(rp, invitation, this.clock.now()) });
  }
}
