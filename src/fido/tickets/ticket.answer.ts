import { OkAnswer } from '../../platform/http/ok.js';
import { ApiCount, ApiProperty } from '../../platform/http/openapi/openapi.js';

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

/** A ticket for administrators, without its text. */
export class TicketView {
  @ApiProperty({ example: 'Zk3Cq0mN1rUe4uXb8yT2PgVn7sJ5cD9hK4wQ1aLxE0M' })
  readonly id!: string;

  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiCount({ example: 1, description: 'number of registrations begun with it, at most ten' })
  readonly begun!: number;

  @ApiProperty({ format: 'date-time' })
  readonly expiresAt!: string;
}

/** Answer of GET /userapi/tickets. */
export class TicketListAnswer extends OkAnswer {
  @ApiProperty({ type: [TicketView], description: 'tickets by user name, at most 200' })
  readonly tickets!: readonly TicketView[];
}

/** Answer of DELETE /userapi/tickets/:id. */
export class TicketRevokedAnswer extends OkAnswer {
  @ApiProperty({ type: TicketView })
  readonly ticket!: TicketView;
}
