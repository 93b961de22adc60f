import { Controller, Get, Query, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../common/clock.js';
import { ApiOperation, ApiQuery, ApiTags } from '../../http/openapi.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow } from '../../security/allow.js';
import { AdminScope } from '../../tenancy/admin-scope.js';
import { readEventsRequest } from './events.params.js';
import { EventsService } from './events.service.js';

const optional = { required: false, type: String } as const;

/** What happened to a user, in a request or at a time, and why it was refused. */
@ApiTags('users')
@Allow('users:read')
@Controller('userapi/events')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly scope: AdminScope,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What happened, and in words why it was refused' })
  @ApiQuery({ name: 'user', ...optional })
  @ApiQuery({ name: 'requestId', ...optional })
  @ApiQuery({ name: 'from', ...optional })
  @ApiQuery({ name: 'to', ...optional })
  @ApiQuery({ name: 'outcome', required: false, enum: ['ok', 'refused'] })
  @ApiQuery({ name: 'cursor', ...optional })
  @ApiQuery({ name: 'limit', ...optional })
  list(
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @CurrentAccount() account: Account,
  ) {
    const asked = readEventsRequest(query, this.clock.now());
    if (asked.requestId !== undefined) {
      return this.events.ofRequest(this.scope.all(account, request), asked.requestId, asked);
    }
    return this.events.page(this.scope.one(account, request), asked);
  }
}
