import { Controller, Get, Query } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { ForReader, Operation } from '../../platform/http/openapi/operation.js';
import { Allow, OpenToKeys } from '../../platform/access/allow.js';
import { CurrentScope, Scoped } from '../../tenancy/scope/scope.interceptor.js';
import type { AdminScope } from '../../tenancy/scope/scope.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { EventListAnswer, EventsRefusedAnswer } from './events.answer.js';
import { EventsQuery } from './events.query.js';
import { EventsService } from './events.service.js';
import { ForwardEvents } from './forward-events.js';

/** Lists what happened to a user, in a request or at a time, and why it was refused. */
@ForReader('help desk')
@Scoped()
@Allow('events:read')
@OpenToKeys()
@Controller('userapi/events')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly forward: ForwardEvents,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Operation('listEvents', 'What happened, and in words why it was refused', {
    answers: EventListAnswer,
    refuses: ['E0025R'],
    bodies: { E0045R: EventsRefusedAnswer },
  })
  list(@Query(DtoPipe) query: EventsQuery, @CurrentScope() scope: AdminScope) {
    if (query.after !== undefined) {
      return this.forward.after(scope, query.after, query.limit);
    }
    if (query.requestId !== undefined) {
      return this.events.ofRequest(scope.relyingParties, query.requestId, query);
    }
    const before = query.before(this.clock.now());
    return this.events.page(scope.one(), { query, before });
  }
}
