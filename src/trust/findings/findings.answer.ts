import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import { FINDING_ACTIONS, type FindingAction } from '../../tenancy/policy/policy.js';

/** A key and its user. */
export class KeyOfUserView {
  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'dGVzdC1rZXk' })
  readonly credentialId!: string;

  @ApiProperty({ example: 'Security key' })
  readonly deviceName!: string;

  @ApiProperty({ format: 'uuid', example: 'ee882879-721c-4913-9775-3dfcce97072a' })
  readonly aaguid!: string;
}

/** A key whose registration would be refused today, or that its user reported. */
export class FindingView extends KeyOfUserView {
  @ApiProperty({ type: String, nullable: true, example: 'YubiKey 5 Series' })
  readonly authenticatorName!: string | null;

  @ApiProperty({
    example: 'status',
    description: 'policy rule that the key breaks; `reported` if its user reported it',
  })
  readonly rule!: string;

  @ApiProperty({
    example: 'E0038R',
    description:
      'error code with which a registration of the key would be refused; E0034R for a reported one',
  })
  readonly errorCode!: string;

  @ApiProperty({
    enum: FINDING_ACTIONS,
    description: 'value of `onFinding` in the policy; `report` for a reported key',
  })
  readonly action!: FindingAction;

  @ApiProperty({ format: 'date-time' })
  readonly foundAt!: string;

  @ApiProperty({ description: 'whether the key is enabled' })
  readonly enabled!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'account that enabled the key despite the finding; the finding no longer disables the ' +
      'key until it changes; empty if the account was not recorded',
  })
  readonly acceptedBy!: string | null;
}

export class FindingListAnswer extends OkAnswer {
  @ApiProperty({ example: 'localhost' })
  readonly relyingParty!: string;

  @ApiProperty({ type: [FindingView] })
  readonly findings!: readonly FindingView[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: '`cursor` of the next page; `null` on the last page',
  })
  readonly next!: string | null;
}
