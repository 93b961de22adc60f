import { Body, HttpCode, Param, Post, type StreamableFile } from '@nestjs/common';
import { IsBoolean } from 'class-validator';
import { Transform } from 'class-transformer';
import { InvitationFile, invitationCsv } from '../invitations/invitation-file.js';
import { invitedPage } from '../invitations/invited.view.js';
import { languageFor } from '../platform/pages/languages/languages.js';
import { csvFile } from '../platform/http/text-file.js';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { OncePerPage } from '../audit/forms/once-per-page.js';
import { FormGuard, JsonGuard } from '../platform/http/body/request-body.js';
import { ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { Operation } from '../platform/http/openapi/operation.js';
import { OwnOrigin } from '../platform/common/from-request.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../tenancy/scope/scope.interceptor.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { AaguidDto } from '../trust/whitelist/aaguid.dto.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { ModelKeys } from '../users/list/model-keys.js';
import type { FoundUser } from '../users/user-rows.js';
import { aaguidBytes } from '../webauthn/aaguid.js';
import { MAX_INVITATION_TTL } from '../invitations/invitation.dto.js';
import { ReadsEmptyAsAbsent, IsWithin, ReadsNumber } from '../platform/validation/decorators.js';
import { DAY_SECONDS } from '../platform/common/durations.js';
import { BEGINNING } from '../platform/database/row-ids.js';

const WEEK = 7 * DAY_SECONDS;
const USERS_PER_STATEMENT = 200;

/** Body of POST /userapi/aaguid/:aaguid/invitations, and its form. */
class InviteHoldersDto {
  @ApiPropertyOptional({ default: WEEK, description: 'validity in seconds, at most 14 days' })
  @ReadsEmptyAsAbsent()
  @ReadsNumber()
  @IsWithin(1, MAX_INVITATION_TTL)
  ttl: number = WEEK;

  @ApiPropertyOptional({
    default: false,
    description: 'whether users who have an open invitation get another one',
  })
  @Transform(({ value }: { value: unknown }) => (value === 'yes' ? true : value))
  @IsBoolean()
  again: boolean = false;
}

/** Invites the users of a lost model who have no key left, through a file with their links; each invitation has an audit row. */
@ScopedController('userapi/aaguid/:aaguid', { audience: 'help desk', permission: 'tickets:issue' })
export class ModelInvitationsController {
  constructor(
    private readonly keys: ModelKeys,
    private readonly file: InvitationFile,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  @Post('invitations')
  @Audited('invitation.issue', { target: 'aaguid', guards: [JsonGuard] })
  @Operation('inviteModelHolders', 'Invites the users of a model who have no key left', {
    status: 200,
    answers: 'text/csv',
    sends: { ttl: 604_800 },
    description: 'Invites at most 500 users; the links in the answer are shown only once.',
  })
  invite(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) wish: InviteHoldersDto,
    @CurrentParties() { account, reader, relyingParties }: CallParties,
    @CurrentCall() call: AuditedCall,
    @OwnOrigin() origin: string,
  ): StreamableFile {
    const users = this.withoutKey(relyingParties, aaguid);
    const issuing = { ...wish, origin, issuer: account };
    const outcomes = this.file.invite(users, issuing, call.useRowPerChange());
    return csvFile(reader, 'invitations.csv', invitationCsv(outcomes));
  }

  /** Renders the page: a redirect could not carry the links, which are shown only once. */
  @Post('invite')
  @HttpCode(200)
  @OncePerPage('invited')
  @Audited('invitation.issue', { target: 'aaguid', guards: [FormGuard] })
  inviteByForm(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) wish: InviteHoldersDto,
    @CurrentParties() { account, reader }: CallParties,
    @CurrentCall() call: AuditedCall,
    @OwnOrigin() origin: string,
  ) {
    const users = this.withoutKey(this.relyingParties.visibleTo(account), aaguid);
    const issuing = { ...wish, origin, issuer: account };
    const outcomes = this.file.invite(users, issuing, call.useRowPerChange());
    const back = `/userapi/aaguid/${aaguid}`;
    return invitedPage(outcomes, { reader, language: languageFor(call.request), back });
  }

  /** The users who had a key of a model and have no key left with which they can sign in. */
  private async *withoutKey(
    rps: readonly RelyingParty[],
    aaguid: string,
  ): AsyncGenerator<FoundUser> {
    for (const rp of rps) {
      let after: Buffer | undefined = BEGINNING;
      while (after) {
        const step = await this.keys.step(rp, aaguidBytes(aaguid), after, USERS_PER_STATEMENT);
        yield* step.users.filter((user) => !user.credentials.some(({ enabled }) => enabled));
        after = step.next;
      }
    }
  }
}
