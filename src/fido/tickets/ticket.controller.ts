import { Body, Delete, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import { Operation } from '../../platform/http/openapi/operation.js';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { atRelyingParty } from '../../audit/request-rows.js';
import { problem, sentenceOf } from '../../platform/errors/reasons.js';
import { ok } from '../../platform/http/ok.js';
import { JsonGuard } from '../../platform/http/body/request-body.js';
import { AllowHere } from '../../platform/access/allow.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../../tenancy/scope/scope.interceptor.js';
import { CurrentRp } from '../../tenancy/scope/tenant.interceptor.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import {
  TicketAnswer,
  TicketListAnswer,
  TicketRevokedAnswer,
  type TicketView,
} from './ticket.answer.js';
import { TicketDto, TicketsQuery } from './ticket.dto.js';
import type { Ticket } from './ticket.entity.js';
import { TicketService } from './ticket.service.js';

const ticketView = (rp: RelyingParty, ticket: Ticket): TicketView => ({
  id: ticket.ticketHash.toString('base64url'),
  username: ticket.username,
  relyingParty: rp.domain,
  begun: ticket.begun,
  expiresAt: new Date(ticket.expiresAt).toISOString(),
});

/** Tickets for `--registration ticket`, for the customer's backend. */
@UseGuards(JsonGuard)
@ScopedController('userapi/tickets', {
  audience: 'integrator',
  permission: 'tickets:issue',
  parameters: {
    id: { example: 'Zk3Cq0mN1rUe4uXb8yT2PgVn7sJ5cD9hK4wQ1aLxE0M', description: 'ID of the ticket' },
  },
})
export class TicketController {
  constructor(private readonly tickets: TicketService) {}

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
  async issue(
    @Body(DtoPipe) dto: TicketDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ) {
    const { relyingParty, ttl } = dto;
    const rp = parties.named(relyingParty);
    call.about(atRelyingParty(rp));
    const { ticket, username, expiresAt, isSuspended } = await this.tickets.issue(call, rp, dto);
    const until = new Date(expiresAt).toISOString();
    return ok({
      ticket,
      username,
      relyingParty: rp.domain,
      ttl,
      expiresAt: until,
      ...(isSuspended && { warnings: [sentenceOf(problem('permit.suspended'))] }),
    });
  }

  @Get()
  @AllowHere('invitations:read')
  @Operation('listTickets', 'Lists valid tickets', { answers: TicketListAnswer })
  async list(@Query(DtoPipe) { username }: TicketsQuery, @CurrentRp() rp: RelyingParty) {
    const found = await this.tickets.list(rp, username);
    return ok({ tickets: found.map((one) => ticketView(rp, one)) });
  }

  @Delete(':id')
  @Audited('ticket.revoke', { target: 'id' })
  @Operation('revokeTicket', 'Revokes a ticket: it permits no registration', {
    answers: TicketRevokedAnswer,
    refuses: ['E0044R'],
  })
  async revoke(
    @Param('id') id: string,
    @CurrentRp() rp: RelyingParty,
    @CurrentCall() call: AuditedCall,
  ) {
    call.about(atRelyingParty(rp));
    const ticket = await this.tickets.revoke(call, rp, id);
    return ok({ ticket: ticketView(rp, ticket) });
  }
}
