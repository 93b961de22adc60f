import { Readable } from 'node:stream';
import { Body, Controller, HttpCode, Param, Post, StreamableFile, UseGuards } from '@nestjs/common';
import { Audited, CurrentUserRows } from '../../audit/audited.js';
import type { UserRows } from '../../audit/audit-trail.js';
import { Allow, OpenToKeys } from '../../platform/access/allow.js';
import { FormGuard } from '../../platform/http/body/form-body.js';
import { JsonGuard } from '../../platform/http/body/json-body.js';
import { ApiExcludeEndpoint } from '../../platform/http/openapi/openapi.js';
import { ForReader, Operation } from '../../platform/http/openapi/operation.js';
import { OwnOrigin } from '../../platform/http/request-context.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { CurrentScope, Scoped } from '../../tenancy/scope/scope.interceptor.js';
import type { AdminScope } from '../../tenancy/scope/scope.interceptor.js';
import { AaguidDto } from '../../trust/whitelist/aaguid.dto.js';
import { InviteHoldersDto } from './model-invitations.dto.js';
import { ModelInvitations } from './model-invitations.js';

/** Invites the users of a lost model who have no key left, by a file with their links. */
@ForReader('help desk')
@Scoped()
@Allow('tickets:issue')
@OpenToKeys()
@Controller('userapi/aaguid/:aaguid')
export class ModelInvitationsController {
  constructor(private readonly invitations: ModelInvitations) {}

  @Post('invitations')
  @HttpCode(200)
  @UseGuards(JsonGuard)
  @Audited(({ params }) => ({ action: 'invitation.issue', target: String(params['aaguid']) }))
  @Operation('inviteModelHolders', 'Invites the users of a model who have no key left', {
    answers: 'text/csv',
    sends: { ttl: 604_800 },
    description: 'At most 500, with their links, which are shown this once.',
  })
  invite(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) wish: InviteHoldersDto,
    @CurrentScope() { account, relyingParties }: AdminScope,
    @CurrentUserRows() rows: UserRows,
    @OwnOrigin() origin: string,
  ): StreamableFile {
    const asked = { ...wish, aaguid, origin, issuedBy: account.name };
    return new StreamableFile(Readable.from(this.invitations.csv(relyingParties, asked, rows)), {
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="invitations.csv"',
    });
  }

  @Post('invite')
  @HttpCode(200)
  @UseGuards(FormGuard)
  @Audited(({ params }) => ({ action: 'invitation.issue', target: String(params['aaguid']) }))
  @ApiExcludeEndpoint()
  inviteByForm(
    @Param(DtoPipe) model: AaguidDto,
    @Body(DtoPipe) wish: InviteHoldersDto,
    @CurrentScope() scope: AdminScope,
    @CurrentUserRows() rows: UserRows,
    @OwnOrigin() origin: string,
  ): StreamableFile {
    return this.invite(model, wish, scope, rows, origin);
  }
}
