import type { Reason } from '../../platform/errors/reasons.js';
import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';

const COUNT = { type: 'integer', minimum: 0 } as const;
const MODEL = { type: String, nullable: true, example: 'YubiKey 5 Series' } as const;
const AAGUID = { format: 'uuid', example: 'ee882879-721c-4913-9775-3dfcce97072a' } as const;

/** How many keys of a model break a rule. */
export class TriedModelView {
  @ApiProperty(AAGUID)
  readonly aaguid!: string;

  @ApiProperty(MODEL)
  readonly authenticatorName!: string | null;

  @ApiProperty({ ...COUNT, example: 12 })
  readonly count!: number;
}

/** A key that breaks a rule. */
class TriedKeyView {
  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'dGVzdC1rZXk' })
  readonly credentialId!: string;

  @ApiProperty({ example: 'Security key' })
  readonly deviceName!: string;

  @ApiProperty(AAGUID)
  readonly aaguid!: string;

  @ApiProperty({ format: 'date-time' })
  readonly registrationDate!: string;
}

/** A rule of the policy that some keys or registrations would break. */
export class TriedRuleView {
  @ApiProperty({ example: 'formats' })
  readonly rule!: string;

  @ApiProperty({ enum: ['report', 'refuse'] })
  readonly outcome!: 'report' | 'refuse';

  @ApiProperty({ example: 'E0038R', description: 'with which a registration is refused' })
  readonly errorCode!: string;

  @ApiProperty({ example: 'The format of the attestation is not allowed.' })
  readonly says!: string;

  @ApiProperty({ type: String, example: 'rule.format', description: 'docs/errors.md lists them' })
  readonly reason!: Reason;

  @ApiProperty({ ...COUNT, example: 17 })
  readonly count!: number;

  @ApiProperty({ type: [TriedModelView], description: 'the most frequent ones, at most 20' })
  readonly models!: readonly TriedModelView[];

  @ApiProperty({ type: [TriedKeyView], description: 'at most five' })
  readonly examples!: readonly TriedKeyView[];
}

/** How many keys or registrations would pass, be reported or be refused. */
export class TriedView {
  @ApiProperty({ ...COUNT, example: 200, description: 'of pass, report, refuse and notJudged' })
  readonly total!: number;

  @ApiProperty({ ...COUNT, example: 150 })
  readonly pass!: number;

  @ApiProperty({ ...COUNT, example: 20, description: 'those that pass and leave an event' })
  readonly report!: number;

  @ApiProperty({ ...COUNT, example: 17 })
  readonly refuse!: number;

  @ApiProperty({ ...COUNT, example: 13, description: 'imported, or from before proofs were kept' })
  readonly notJudged!: number;

  @ApiProperty({
    ...COUNT,
    example: 5,
    description:
      'of total: registrations made where attestation was asked for and the policy asks for none, or the other way round: made today, they may end otherwise; 0 for keys',
  })
  readonly otherAttestation!: number;

  @ApiProperty({
    type: [TriedRuleView],
    description: 'a refusal counts once, by the first rule; a report by each rule',
  })
  readonly rules!: readonly TriedRuleView[];
}

class TriedUsersView {
  @ApiProperty({ ...COUNT, example: 120, description: 'users who have a key' })
  readonly total!: number;

  @ApiProperty({ ...COUNT, example: 110, description: 'of total: users who can sign in today' })
  readonly canSignIn!: number;

  @ApiProperty({
    ...COUNT,
    example: 4,
    description: 'who can sign in today and no longer could, now or from the day of a rule',
  })
  readonly withoutKey!: number;

  @ApiProperty({
    ...COUNT,
    example: 9,
    description: 'who can sign in today and each of whose keys breaks an enforced rule',
  })
  readonly onlyBrokenKeys!: number;
}

export class PolicyTrialAnswer extends OkAnswer {
  @ApiProperty({ example: 'localhost' })
  readonly relyingParty!: string;

  @ApiProperty({ type: TriedUsersView })
  readonly users!: TriedUsersView;

  @ApiProperty({ type: TriedView })
  readonly keys!: TriedView;

  @ApiProperty({ type: TriedView })
  readonly registrations!: TriedView;

  @ApiProperty({ format: 'date-time', description: 'the registrations of the last 90 days' })
  readonly since!: string;

  @ApiProperty({ description: 'false: there are more keys, and these are a sample of them' })
  readonly complete!: boolean;
}
