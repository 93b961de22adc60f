import { Get, Query } from '@nestjs/common';
import { Operation } from '../../platform/http/openapi/operation.js';
import {
  CurrentScope,
  type AdminScope,
  ScopedController,
} from '../../tenancy/scope/scope.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { CATALOGUE } from '../../platform/errors/catalogue.js';
import { RefusalBody } from '../../platform/http/openapi/refusal.answer.js';
import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { ForwardEvents } from './forward-events.js';
import { EventsService } from './events.service.js';
import { EventsQuery } from './events.query.js';

class EventView {
  @ApiProperty({ format: 'uuid', example: '019b76da-a800-7000-8000-000000000001' })
  readonly id!: string;

  @ApiProperty({ format: 'date-time' })
  readonly at!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    pattern: '^[0-9a-f]{16}$',
    example: '36859a92a4aac6af',
    description: 'first eight bytes of the SHA-256 of the credential ID, in hexadecimal',
  })
  readonly credential!: string | null;

  @ApiProperty({ example: 'authentication-refused' })
  readonly kind!: string;

  @ApiProperty({ enum: ['ok', 'refused'] })
  readonly outcome!: 'ok' | 'refused';

  @ApiProperty({ type: String, nullable: true, example: 'E0034R' })
  readonly errorCode!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'further detail, for example the exact cause',
  })
  readonly detail!: string | null;

  @ApiProperty({
    example: `A sign-in was refused. ${CATALOGUE.E0034R[1]}`,
    description: 'explanation of the event in words',
  })
  readonly explanation!: string;

  @ApiProperty({ type: String, nullable: true, example: 'b3sQ9cWv-1f' })
  readonly requestId!: string | null;
}

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

  @ApiPropertyOptional({
    description: 'whether more events may be available at once; only with `after`',
  })
  readonly more?: boolean;
}

/** E0045R of GET /userapi/events. */
class EventsRefusedAnswer extends RefusalBody {
  @ApiProperty({ enum: ['failed'] })
  readonly status!: 'failed';

  @ApiProperty({ enum: ['E0045R'] })
  readonly errorCode!: 'E0045R';

  @ApiPropertyOptional({
    description: 'value of `after` with which to continue; only with the reason `cursor.epoch`',
  })
  readonly next?: string;
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
    bodies: { E0045R: EventsRefusedAnswer },
  })
  list(@Query(DtoPipe) query: EventsQuery, @CurrentScope() scope: AdminScope) {
    if (query.after !== undefined) {
      return this.forward.after(scope, query.after, query.limit);
    }
    if (query.requestId !== undefined) {
      return this.events.ofRequest(scope.relyingParties, query.requestId, query);
    }
    return this.events.page(scope.one(), query);
  }
}
