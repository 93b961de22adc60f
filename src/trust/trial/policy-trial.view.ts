import { aaguidText } from '../../webauthn/aaguid.js';
import type { AuthenticatorModels } from '../authenticator-models.js';
import type { TriedRuleView, TriedView } from './policy-trial.answer.js';
import type { BrokenRule, TrialCount } from './trial-count.js';

const MOST_MODELS = 20;

/** The counts of a trial, as the API answers and pages show them. */
export const triedView = (
  { total, pass, report, refuse, notJudged, rules }: TrialCount,
  models: AuthenticatorModels,
): TriedView => ({
  ...{ total, pass, report, refuse, notJudged },
  rules: rules.map((rule) => ruleView(rule, models)),
});

function ruleView(broken: BrokenRule, models: AuthenticatorModels): TriedRuleView {
  const { rule, outcome, code, sentence, count } = broken;
  const frequent = [...broken.models].sort(([, one], [, other]) => other - one);
  return {
    ...{ rule, outcome, errorCode: code, says: sentence, count },
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
