import { Get, Query } from '@nestjs/common';
import { Operation } from '../../platform/http/openapi/operation.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../../tenancy/scope/scope.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { CursorRefusedAnswer } from '../../platform/http/openapi/refusal.answer.js';
import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { OcsfRecord } from '../../platform/http/ocsf.js';
import { ocsfOfEvent } from '../../events/event.ocsf.js';
import { EventView } from '../../events/event.answer.js';
import { ForwardEvents } from './forward-events.js';
import { EventsService } from './events.service.js';
import { EventsQuery } from './events.dto.js';

class EventListAnswer extends OkAnswer {
  @ApiProperty({ type: [EventView] })
  readonly events!: readonly EventView[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: '`cursor` (or `after`) of the next page; `null` on the last page',
  })
  readonly next!: string | null;

  @ApiPropertyOptional({ type: [OcsfRecord], description: 'the events, only with `format=ocsf`' })
  readonly records?: readonly OcsfRecord[];

  @ApiPropertyOptional({
    description: 'whether more events may be available at once; only with `after`',
  })
  readonly more?: boolean;
}

@ScopedController('userapi/events', { audience: 'help desk', permission: 'events:read' })
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly forward: ForwardEvents,
  ) {}

  @Get()
  @Operation('listEvents', 'Lists events with explanations in words', {
    answers: EventListAnswer,
    refuses: ['E0025R'],
    bodies: { E0045R: CursorRefusedAnswer },
  })
  async list(
    @Query(DtoPipe) query: EventsQuery,
    @CurrentParties() parties: CallParties,
  ): Promise<EventListAnswer> {
    const answer = await this.find(query, parties);
    if (query.format !== 'ocsf') return answer;
    const tenants = new Map(parties.now().map(({ domain, tenant }) => [domain, tenant]));
    const records = answer.events.map((event) =>
      ocsfOfEvent(event, tenants.get(event.relyingParty) ?? ''),
    );
    return { ...answer, events: [], records };
  }

  private find(query: EventsQuery, parties: CallParties): Promise<EventListAnswer> {
    if (query.after !== undefined) {
      return this.forward.after(parties, query.after, query.limit);
    }
    if (query.requestId !== undefined) {
      return this.events.ofRequest(parties.relyingParties, query.requestId, query);
    }
    return this.events.page(parties.one(), query);
  }
}
