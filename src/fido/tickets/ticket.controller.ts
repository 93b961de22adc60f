import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { ok } from '../../platform/http/ok.js';
import { JsonGuard } from '../../platform/http/body/request-body.js';
import { Allow, OpenToKeys } from '../../platform/access/allow.js';
import { RelyingPartyFinder } from '../../tenancy/scope/relying-party-finder.js';
import { RegisteredNames } from '../../tenancy/usernames/registered-names.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { Scoped } from '../../tenancy/scope/scope.interceptor.js';
import { TicketAnswer } from './ticket.answer.js';
import { TicketDto } from './ticket.dto.js';
import { TicketService } from './ticket.service.js';

/** Tickets for `--registration ticket`, for the customer's backend. */
@ForAudience('integrator')
@Scoped('nothing')
@UseGuards(JsonGuard)
@Allow('tickets:issue')
@OpenToKeys()
@Controller('userapi/tickets')
export class TicketController {
  constructor(
    private readonly tickets: TicketService,
    private readonly relyingParties: RelyingPartyFinder,
    private readonly names: RegisteredNames,
  ) {}

  @Post()
  @Audited(({ body }) => ({
    action: 'ticket.issue',
    relyingParty: body?.relyingParty,
    target: body?.username,
  }))
  @Operation(
    'issueTicket',
    'Issues a ticket for one registration; up to ten begin calls may use it',
    {
      answers: TicketAnswer,
      refuses: ['E0025R', 'E0026R'],
    },
  )
  async issue(@Body(DtoPipe) dto: TicketDto, @CurrentCall() { account, note }: AuditedCall) {
    const { relyingParty, ttl } = dto;
    const rp = this.relyingParties.findVisible(account, relyingParty);
    const username = await this.names.ofOne(rp, dto.username);
    note.tenant = rp.tenant;
    note.target = username;
    const { ticket, expiresAt } = await this.tickets.issue(rp, { ...dto, username });
    const until = new Date(expiresAt).toISOString();
    return ok({ ticket, username, relyingParty: rp.domain, ttl, expiresAt: until });
  }
}
