import { phrase, ruleLabel } from '../../../platform/pages/languages/phrase.js';
import type { AuthenticatorModels } from '../../../trust/authenticator-models.js';
import {
  triedRule,
  type TriedModelView,
  type TriedRuleView,
} from '../../../trust/trial/policy-trial.answer.js';
import type { TrialCount, TrialUsers } from '../../../trust/trial/trial-count.js';
import { INVITED_GROUPS } from '../tenants.dto.js';
import { NO_AAGUID } from '../../../webauthn/aaguid.js';

type CountFigures = Pick<TrialCount, 'counts' | 'rules'>;
type UserFigures = Omit<TrialUsers, 'add' | 'has'>;

/** What the view reads of the effects of a policy. */
export interface EffectFigures {
  readonly keys: CountFigures;
  readonly registrations: CountFigures;
  readonly users: UserFigures;
  readonly complete: boolean;
}

/** The effects of a policy on a relying party. */
export function trialView(
  { keys, registrations, users, complete }: EffectFigures,
  domain: string,
  models: AuthenticatorModels,
) {
  const part = (name: string, { counts, rules }: CountFigures) => {
    const texts = `tenants:party.trial.${name}`;
    return {
      name,
      ...counts,
      title: phrase(`${texts}.title`),
      /** What happens to reported keys and to refused ones. */
      reported: phrase(`${texts}.reported`, { count: counts.report }),
      refused: phrase(`${texts}.refused`, { count: counts.refuse }),
      rules: rules.map((broken) => ({
        ...ruleView(triedRule(broken, models), domain),
        problem: broken.problem,
      })),
    };
  };
  return {
    complete,
    users: usersView(users, registrations.counts),
    parts: [part('keys', keys), part('registrations', registrations)],
  };
}

/** What becomes of the users and of registrations, the worst first, and how many already cannot sign in. */
function usersView(users: UserFigures, { refuse, total: attempts }: TrialCount['counts']) {
  const { total: all, canSignIn: total, onlyBrokenKeys } = users;
  const without = users.withoutKey.length;
  const unverified = users.unverified.length;
  const text = (name: string, count: number) =>
    phrase(`tenants:party.trial.users.${name}`, { count, total });
  const warnings = [
    ...(without > 0 ? [text('without', without)] : []),
    ...(unverified > 0 ? [text('unverified', unverified), text('unverifiedText', unverified)] : []),
    ...(refuse > 0
      ? [phrase('tenants:party.trial.users.refused', { count: refuse, total: attempts })]
      : []),
    ...(without === 0 && onlyBrokenKeys > 0 ? [text('broken', onlyBrokenKeys)] : []),
  ];
  const locked = all > total ? [text('locked', all - total)] : [];
  const isSound = without + unverified + onlyBrokenKeys === 0 && (total > 0 || locked.length === 0);
  const [said, ...more] = [
    ...warnings,
    ...(isSound ? [text(total === 0 ? 'none' : 'all', total)] : []),
    ...locked,
  ];
  const tone = warnings.length + locked.length > 0 ? 'warn' : 'good';
  const invites = INVITED_GROUPS.filter((group) => users[group].length > 0).map((group) => ({
    group,
    label: phrase(`tenants:party.trial.users.invite.${group}`),
  }));
  return { said, more, tone: without > 0 ? 'bad' : tone, invites };
}

const ruleView = (
  { rule, profile, models, examples, outcome, errorCode, count }: TriedRuleView,
  domain: string,
) => ({
  errorCode,
  count,
  rule: ruleLabel(rule),
  profile,
  outcome: phrase(`tenants:party.trial.outcomes.${outcome}`),
  models: models.map(modelRow),
  examples: examples.map(({ username }) => ({
    username,
    address: `/userapi/user?${new URLSearchParams({ name: username, rp: domain }).toString()}`,
  })),
});

function modelRow({ aaguid, authenticatorName, count }: TriedModelView) {
  const isUnknown = authenticatorName === null && aaguid !== NO_AAGUID;
  const label = authenticatorName ?? phrase(isUnknown ? 'models:unknown' : 'models:notTold');
  // The beginning of its AAGUID distinguishes an unknown model from others.
  return { label, aaguid, begins: isUnknown ? `${aaguid.slice(0, 8)}…` : undefined, count };
}
