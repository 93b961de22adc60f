import { sentenceOf } from '../../platform/errors/reasons.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { AuthenticatorModels } from '../authenticator-models.js';
import type { TriedRuleView, TriedView } from './policy-trial.answer.js';
import type { TriedRule, TrialCount, TrialUsers } from './trial-count.js';

const MOST_MODELS = 20;

/** The counts of a trial, for the API and pages. */
export const triedView = (
  { counts, rules }: TrialCount,
  models: AuthenticatorModels,
): TriedView => ({
  ...counts,
  rules: rules.map((rule) => triedRule(rule, models)),
});

/** How many users would have no key left, for the API and pages. */
export const triedUsers = ({ total, canSignIn, withoutKey, onlyBrokenKeys }: TrialUsers) => ({
  total,
  canSignIn,
  withoutKey: withoutKey.length,
  onlyBrokenKeys,
});

/** A rule that some keys or registrations would break, for the API. */
export function triedRule(broken: TriedRule, models: AuthenticatorModels): TriedRuleView {
  const { rule, outcome, code, problem, count } = broken;
  const frequent = [...broken.models].sort(([, one], [, other]) => other - one);
  return {
    rule,
    outcome,
    errorCode: code,
    says: sentenceOf(problem),
    reason: problem.reason,
    count,
    models: frequent.slice(0, MOST_MODELS).map(([aaguid, n]) => ({
      aaguid,
      authenticatorName: models.name(aaguid),
      count: n,
    })),
    examples: broken.examples.map((key) => ({
      username: key.username,
      credentialId: key.credentialId.toString('base64url'),
      deviceName: key.deviceName,
      aaguid: aaguidText(key.aaguid),
      registrationDate: new Date(key.registeredAt).toISOString(),
    })),
  };
}
