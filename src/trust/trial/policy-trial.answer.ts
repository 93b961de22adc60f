import { sentenceOf, type Reason } from '../../platform/errors/reasons.js';
import { OkAnswer } from '../../platform/http/ok.js';
import { ApiCount, ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { credentialIdText } from '../../users/user-rows.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { AuthenticatorModels } from '../authenticator-models.js';
import { KeyOfUserView } from '../findings/findings.answer.js';
import type { TriedRule, TrialCount, TrialUsers } from './trial-count.js';

/** How many keys of a model break a rule. */
export class TriedModelView {
  @ApiProperty({ format: 'uuid', example: 'ee882879-721c-4913-9775-3dfcce97072a' })
  readonly aaguid!: string;

  @ApiProperty({ type: String, nullable: true, example: 'YubiKey 5 Series' })
  readonly authenticatorName!: string | null;

  @ApiCount({ example: 12 })
  readonly count!: number;
}

/** A key that breaks a rule. */
class TriedKeyView extends KeyOfUserView {
  @ApiProperty({ format: 'date-time' })
  readonly registrationDate!: string;
}

/** A rule of the policy that some keys or registrations would break. */
export class TriedRuleView {
  @ApiProperty({ example: 'formats' })
  readonly rule!: string;

  @ApiPropertyOptional({
    example: 'Administrators',
    description: 'name of the profile whose users these are; absent for users without one',
  })
  readonly profile?: string;

  @ApiProperty({ enum: ['report', 'refuse'] })
  readonly outcome!: 'report' | 'refuse';

  @ApiProperty({
    example: 'E0038R',
    description: 'error code with which a registration is refused',
  })
  readonly errorCode!: string;

  @ApiProperty({ example: 'The format of the attestation is not allowed.' })
  readonly says!: string;

  @ApiProperty({
    type: String,
    example: 'rule.format',
    description: 'cause of the refusal; docs/errors.md lists all causes',
  })
  readonly reason!: Reason;

  @ApiCount({ example: 17 })
  readonly count!: number;

  @ApiProperty({
    type: [TriedModelView],
    description: 'models with the most keys or registrations that break the rule, at most 20',
  })
  readonly models!: readonly TriedModelView[];

  @ApiProperty({
    type: [TriedKeyView],
    description: 'examples of keys that break the rule, of at most five users, one of each',
  })
  readonly examples!: readonly TriedKeyView[];
}

/** How many keys or registrations would pass, be reported or be refused. */
class TriedView {
  @ApiCount({ example: 200, description: 'sum of pass, report, refuse and notJudged' })
  readonly total!: number;

  @ApiCount({ example: 150 })
  readonly pass!: number;

  @ApiCount({
    example: 20,
    description: 'number of keys or registrations that would pass and create an event',
  })
  readonly report!: number;

  @ApiCount({ example: 17 })
  readonly refuse!: number;

  @ApiCount({
    example: 13,
    description:
      'number that cannot be judged: imported, or without a stored proof that a rule needs',
  })
  readonly notJudged!: number;

  @ApiCount({
    example: 5,
    description:
      'number in total whose registration requested attestation although the policy requests ' +
      'none, or vice versa, and which might have another outcome today; 0 for keys',
  })
  readonly otherAttestation!: number;

  @ApiCount({
    example: 12,
    description:
      'number in total that have never verified their user although the policy requires it at ' +
      'every sign-in: whether they can is unknown; 0 for registrations',
  })
  readonly unverified!: number;

  @ApiProperty({
    type: [TriedRuleView],
    description:
      'rules that are broken; a refusal counts once, for the first rule; a report counts for ' +
      'each rule',
  })
  readonly rules!: readonly TriedRuleView[];
}

class TriedUsersView {
  @ApiCount({ example: 120, description: 'number of users who have a key' })
  readonly total!: number;

  @ApiCount({ example: 110, description: 'number of these users who can sign in today' })
  readonly canSignIn!: number;

  @ApiCount({
    example: 4,
    description:
      'number of users who can sign in today but no longer could, now or from the day of a rule',
  })
  readonly withoutKey!: number;

  @ApiCount({
    example: 3,
    description:
      'number of users who can sign in today and would keep only keys that have never verified ' +
      'their user, although the policy requires it at every sign-in',
  })
  readonly unverified!: number;

  @ApiCount({
    example: 9,
    description: 'number of users who can sign in today and whose keys all break an enforced rule',
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

  @ApiProperty({
    format: 'date-time',
    description: 'start of the period of the examined registrations (the last 90 days)',
  })
  readonly since!: string;

  @ApiProperty({ description: 'whether all keys were examined; false: only a sample was' })
  readonly complete!: boolean;
}

const MAX_MODELS = 20;

/** The counts of a trial, for the API and pages. */
export const triedView = (
  { counts, rules }: TrialCount,
  models: AuthenticatorModels,
): TriedView => ({
  ...counts,
  rules: rules.map((rule) => triedRule(rule, models)),
});

/** How many users would have no key left, for the API and pages. */
export const triedUsers = (users: TrialUsers) => ({
  total: users.total,
  canSignIn: users.canSignIn,
  withoutKey: users.withoutKey.length,
  unverified: users.unverified.length,
  onlyBrokenKeys: users.onlyBrokenKeys,
});

/** A rule that some keys or registrations would break, for the API. */
export function triedRule(broken: TriedRule, models: AuthenticatorModels): TriedRuleView {
  const { rule, profile, outcome, code, problem, count } = broken;
  const frequent = [...broken.models].sort(([, one], [, other]) => other - one);
  return {
    rule,
    ...(profile !== undefined && { profile }),
    outcome,
    errorCode: code,
    says: sentenceOf(problem),
    reason: problem.reason,
    count,
    models: frequent.slice(0, MAX_MODELS).map(([aaguid, n]) => ({
      aaguid,
      authenticatorName: models.name(aaguid),
      count: n,
    })),
    examples: broken.examples.map((key) => ({
      username: key.username,
      credentialId: credentialIdText(key),
      deviceName: key.deviceName,
      aaguid: aaguidText(key.aaguid),
      registrationDate: new Date(key.registeredAt).toISOString(),
    })),
  };
}
