import { OkAnswer } from '../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { INVITATION_STATES, type InvitationState } from './invitation-state.js';

/** An invitation for administrators, without its code. */
export class InvitationView {
  @ApiProperty({ example: 'Zk3Cq0mN1rUe4uXb8yT2Pg' })
  readonly id!: string;

  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ enum: INVITATION_STATES, description: 'state of the invitation' })
  readonly state!: InvitationState;

  @ApiProperty({ example: 2, description: 'number of keys to register' })
  readonly minKeys!: number;

  @ApiProperty({ example: 1, description: 'number of keys registered so far' })
  readonly keys!: number;

  @ApiProperty({ example: 'admin' })
  readonly issuedBy!: string;

  @ApiProperty({ format: 'date-time' })
  readonly issuedAt!: string;

  @ApiProperty({ format: 'date-time' })
  readonly expiresAt!: string;
}

export class IssuedInvitationAnswer extends OkAnswer {
  @ApiProperty({
    example: 'https://fido.example.com/enrol?relyingParty=example.com#mJQ1nYkP0y8uGd4yQ2oZ7w',
    description: 'link for the user to open; shown only once',
  })
  readonly url!: string;

  @ApiProperty({
    example: 'mJQ1nYkP0y8uGd4yQ2oZ7w',
    description: 'code for the field `ticket` of the begin call; shown only once',
  })
  readonly code!: string;

  @ApiProperty({ format: 'date-time' })
  readonly expiresAt!: string;

  @ApiProperty({
    example: false,
    description: 'whether the invitation is for a user who moves from an old domain',
  })
  readonly linked!: boolean;

  @ApiProperty({ type: InvitationView })
  readonly invitation!: InvitationView;
}

export class InvitationAnswer extends OkAnswer {
  @ApiProperty({ type: InvitationView })
  readonly invitation!: InvitationView;
}

export class InvitationListAnswer extends OkAnswer {
  @ApiProperty({ type: [InvitationView], description: 'invitations, newest first, at most 200' })
  readonly invitations!: readonly InvitationView[];
}

export class FollowedInvitationAnswer extends OkAnswer {
  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ example: 'Acme sign-in', description: 'name of the relying party' })
  readonly name!: string;

  @ApiProperty({
    enum: INVITATION_STATES,
    description: 'state of the invitation; only an open invitation can be used',
  })
  readonly state!: InvitationState;

  @ApiProperty({
    example: '',
    description: 'what the user can do if the invitation is not open; else empty',
  })
  readonly advice!: string;

  @ApiProperty({ example: 2, description: 'number of keys to register' })
  readonly minKeys!: number;

  @ApiProperty({ example: 0, description: 'number of keys registered so far' })
  readonly keys!: number;

  @ApiProperty({ format: 'date-time' })
  readonly expiresAt!: string;

  @ApiPropertyOptional({
    example: 'https://app.example.com',
    description:
      'where the user signs in afterwards: the first listed web origin of the relying party that is ' +
      'no pattern and not one of this server; absent if there is none',
  })
  readonly continueTo?: string;
}
