import { Body, Controller, Inject, Post, UseGuards } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { ForReader, Operation } from '../../platform/http/openapi/operation.js';
import { Audited, CurrentNote } from '../../audit/audited.js';
import type { AuditNote } from '../../audit/audit-trail.js';
import { serverOptions } from '../../platform/config/server-config.js';
import { ok } from '../../platform/http/ok.js';
import { JsonGuard } from '../../platform/http/body/json-body.js';
import { CurrentAccount } from '../../platform/access/accounts/account.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { Allow, OpenToKeys } from '../../platform/access/allow.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';
import { RegisteredNames } from '../../tenancy/usernames/registered-names.js';
import { resolveVisible } from '../../tenancy/scope/visible-tenants.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { TicketAnswer } from './ticket.answer.js';
import { TicketDto } from './ticket.dto.js';
import { TicketService } from './ticket.service.js';

/** Tickets for `--registration ticket`, for the customer's backend. */
@ForReader('integrator')
@UseGuards(JsonGuard)
@Allow('tickets:issue')
@OpenToKeys()
@Controller('userapi/tickets')
export class TicketController {
  constructor(
    private readonly tickets: TicketService,
    private readonly directory: TenantDirectory,
    private readonly names: RegisteredNames,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  @Post()
  @Audited(({ body }) => ({
    action: 'ticket.issue',
    relyingParty: body?.relyingParty,
    target: body?.username,
  }))
  @Operation('issueTicket', 'Issues a ticket for one registration, which may be begun ten times', {
    answers: TicketAnswer,
    refuses: ['E0025R', 'E0026R'],
  })
  async issue(
    @Body(DtoPipe) wish: TicketDto,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ) {
    const { relyingParty, ttl } = wish;
    const hints = { header: relyingParty, domain: undefined, origin: undefined };
    const rp = resolveVisible(account, hints, {
      directory: this.directory.current,
      listDomains: this.options.listDomains,
    });
    const username = await this.names.ofOne(rp, wish.username);
    Object.assign(note, { tenant: rp.tenant, target: username });
    const { ticket, expiresAt } = await this.tickets.issue(rp, { ...wish, username });
    const until = new Date(expiresAt).toISOString();
    return ok({ ticket, username, relyingParty: rp.domain, ttl, expiresAt: until });
  }
}
