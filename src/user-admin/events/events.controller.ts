import { Controller, Get, Query } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { ForReader, Operation } from '../../http/operation.js';
import { Allow, OpenToKeys } from '../../security/allow.js';
import { CurrentScope, Scoped } from '../../tenancy/scope.interceptor.js';
import type { AdminScope } from '../../tenancy/scope.interceptor.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { EventListAnswer } from './events.answer.js';
import { EventsQuery } from './events.query.js';
import { EventsService } from './events.service.js';

/** Lists what happened to a user, in a request or at a time, and why it was refused. */
@ForReader('help desk')
@Scoped()
@Allow('events:read')
@OpenToKeys()
@Controller('userapi/events')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Operation('listEvents', 'What happened, and in words why it was refused', {
    answers: EventListAnswer,
    refuses: ['E0025R'],
  })
  list(@Query(DtoPipe) query: EventsQuery, @CurrentScope() scope: AdminScope) {
    if (query.after !== undefined) {
      return this.events.forward(scope.relyingParties, query.after, query.limit);
    }
    if (query.requestId !== undefined) {
      return this.events.ofRequest(scope.relyingParties, query.requestId, query);
    }
    const before = query.before(this.clock.now());
    return this.events.page(scope.one(), { query, before });
  }
}
