import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';

/** A message that was refused for so long that it was set aside. */
export class SetAsideView {
  @ApiProperty({ format: 'date-time' })
  readonly setAsideAt!: string;

  @ApiProperty({
    example: 'the receiver answered 500',
    description: 'what was wrong with the last attempt',
  })
  readonly failure!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { type: 'registration', timestamp: '2026-01-01T00:00:00.000Z', data: {} },
    description: 'the body that was refused; null: its event is not kept any more',
  })
  readonly message!: Record<string, unknown> | null;
}

/** Answer of GET /tenantapi/webhooks/:id/set-aside. */
export class SetAsideAnswer extends OkAnswer {
  @ApiProperty({ type: [SetAsideView], description: 'in the order of their events' })
  readonly setAside!: SetAsideView[];
}
