import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';

/** Answer of POST /userapi/tickets. */
export class TicketAnswer extends OkAnswer {
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
