import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { IsString, ValidateIf } from 'class-validator';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { ok, OkAnswer } from '../../platform/http/ok.js';
import { JsonGuard } from '../../platform/http/body/json-body.js';
import { Allow, OpenToKeys } from '../../platform/access/allow.js';
import { RelyingPartyFinder } from '../../tenancy/scope/relying-party-finder.js';
import { RegisteredNames } from '../../tenancy/usernames/registered-names.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsDisplayName, IsName, IsWithin } from '../../platform/validation/decorators.js';
import { isPresent } from '../../platform/validation/field-validator.js';
import { MAX_TICKET_TTL, TicketService } from './ticket.service.js';

const DEFAULT_TTL = 600;

/** Body of POST /userapi/tickets. */
export class TicketDto {
  @ApiProperty({ example: 'alice@example.com' })
  @IsName()
  username!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  @IsString()
  relyingParty!: string;

  @ApiPropertyOptional({
    example: 'Alice Example',
    description: 'display name of the user; takes precedence over the one in the begin call',
  })
  @ValidateIf(isPresent)
  @IsDisplayName()
  displayName?: string;

  @ApiPropertyOptional({ default: DEFAULT_TTL, description: 'validity in seconds' })
  @IsWithin(1, MAX_TICKET_TTL)
  ttl: number = DEFAULT_TTL;
}

class TicketAnswer extends OkAnswer {
  @ApiProperty({
    description: 'ticket for the field `ticket` of the begin call; shown only once',
    example: 'mJQ1nYkP0y8uGd4yQ2oZ7w0Vb1cJX5r3TgS9aLhEK6I',
  })
  readonly ticket!: string;

  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ example: 600, description: 'validity in seconds' })
  readonly ttl!: number;

  @ApiProperty({ format: 'date-time' })
  readonly expiresAt!: string;
}

/** Tickets for `--registration ticket`, for the customer's backend. */
@ForAudience('integrator')
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
