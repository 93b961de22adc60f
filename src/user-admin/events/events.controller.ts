import { Controller, Get, Query, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../common/clock.js';
import { ApiOperation, ApiTags } from '../../http/openapi.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow, OpenToKeys } from '../../security/allow.js';
import { AdminScope } from '../../tenancy/admin-scope.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { EventsQuery } from './events.query.js';
import { EventsService } from './events.service.js';

/** What happened to a user, in a request or at a time, and why it was refused. */
@ApiTags('users')
@Allow('events:read')
@OpenToKeys()
@Controller('userapi/events')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly scope: AdminScope,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What happened, and in words why it was refused' })
  list(
    @Query(DtoPipe) query: EventsQuery,
    @Req() request: Request,
    @CurrentAccount() account: Account,
  ) {
    if (query.requestId !== undefined) {
      return this.events.ofRequest(this.scope.all(account, request), query.requestId, query);
    }
    const before = query.before(this.clock.now());
    return this.events.page(this.scope.one(account, request), { query, before });
  }
}
