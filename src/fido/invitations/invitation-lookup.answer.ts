import { INVITATION_STATES, type InvitationState } from '../../invitations/invitation-state.js';
import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';

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
}
