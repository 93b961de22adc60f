import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import { STATES } from '../../invitations/invitation-state.js';
import type { InvitationState } from '../../invitations/invitation-state.js';

/** Answer of POST /fidoapi/invitation, for the page that the link of an invitation opens. */
export class FollowedInvitationAnswer extends OkAnswer {
  @ApiProperty({ example: 'localhost', description: 'its domain' })
  readonly relyingParty!: string;

  @ApiProperty({ example: 'Acme sign-in', description: 'what the relying party is called' })
  readonly name!: string;

  @ApiProperty({ enum: STATES, description: 'only an open one leads on' })
  readonly state!: InvitationState;

  @ApiProperty({ example: '', description: 'what to do where it leads nowhere' })
  readonly advice!: string;

  @ApiProperty({ example: 2, description: 'how many keys it registers' })
  readonly minKeys!: number;

  @ApiProperty({ example: 0, description: 'how many it has registered' })
  readonly keys!: number;

  @ApiProperty({ format: 'date-time' })
  readonly expiresAt!: string;
}
