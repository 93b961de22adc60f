import { Controller, Inject, Post, UseGuards } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '../../http/openapi.js';
import { CheckedBody } from '../../validation/body.pipe.js';
import { Audited, CurrentNote } from '../../audit/audited.js';
import type { AuditNote } from '../../audit/audit-trail.js';
import { serverOptions } from '../../config/server-config.js';
import { ok } from '../../http/ok.js';
import { JsonGuard } from '../../http/json-body.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow } from '../../security/allow.js';
import { resolveRelyingParty } from '../../tenancy/resolve.js';
import { TenantDirectory } from '../../tenancy/tenant-directory.js';
import { visibleTo } from '../../tenancy/visible.js';
import { Field } from '../../validation/field.js';
import type { Fault } from '../../validation/field.js';
import { NAME_RULE, isName } from '../../validation/names.js';
import { TicketService } from './ticket.service.js';

const DEFAULT_TTL = 600;
const MAX_TTL = 86_400;

const ttlRule = (value: unknown): Fault | undefined =>
  value === undefined || (Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_TTL)
    ? undefined
    : ['E0045R', `"ttl" must be a whole number of seconds from 1 to ${MAX_TTL}.`];

export class TicketDto {
  @ApiProperty({ example: 'alice@example.com' })
  @Field((value) => (isName(value) ? undefined : ['E0045R', `"username" ${NAME_RULE}.`]))
  username!: string;

  @ApiProperty({ example: 'example.com' })
  @Field((value) =>
    typeof value === 'string' ? undefined : ['E0045R', '"relyingParty" must be a domain.'],
  )
  relyingParty!: string;

  @ApiPropertyOptional({ default: DEFAULT_TTL, description: 'life in seconds' })
  @Field(ttlRule)
  ttl?: number;
}

/** Tickets for `--registration ticket`, for the customer's backend. */
@ApiTags('tickets')
@UseGuards(JsonGuard)
@Allow('tickets:issue')
@Controller('userapi/tickets')
export class TicketController {
  constructor(
    private readonly tickets: TicketService,
    private readonly directory: TenantDirectory,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  @Post()
  @Audited(({ body }) => ({
    action: 'ticket.issue',
    relyingParty: body?.relyingParty,
    target: body?.username,
  }))
  @ApiOperation({ summary: 'Issues a one-time ticket to begin a registration' })
  async issue(
    @CheckedBody() { username, relyingParty, ttl = DEFAULT_TTL }: TicketDto,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ) {
    const hints = { header: relyingParty, domain: undefined, origin: undefined };
    const directory = visibleTo(account, this.directory.current);
    const rp = resolveRelyingParty(hints, directory, this.options.listDomains);
    note.tenant = rp.tenant;
    const ticket = await this.tickets.issue(rp, username, ttl);
    return ok({ ticket, username, relyingParty: rp.domain, ttl });
  }
}
