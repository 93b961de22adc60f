import type { FindingAction, Policy } from '../../tenancy/policy/policy.js';
import type { Breach } from '../rule.js';

/** From the mildest action to the severest. */
const SEVERITY: readonly FindingAction[] = ['report', 'refuse-next-sign-in', 'disable'];

/** A breach that is a finding, and what is done about the key. */
export interface ActingBreach extends Breach {
  readonly action: FindingAction;
}

/**
 * The finding about a key that breaks rules. The action is `onFinding`; where a rule also holds for sign-ins,
 * these are refused from its day on, even if `onFinding` says `report`. The severest of several breaches
 * counts, and the first of equally severe ones.
 *
 * @param now in ms since 1970
 * @returns `undefined` where the key breaks no enforced rule
 */
export function findingOf(
  breaches: readonly Breach[],
  { onFinding }: Pick<Policy, 'onFinding'>,
  now: number,
): ActingBreach | undefined {
  const severity = ({ action }: ActingBreach) => SEVERITY.indexOf(action);
  return breaches
    .filter(({ mode }) => mode === 'enforce')
    .map((breach) => ({ ...breach, action: actionOf(breach, onFinding, now) }))
    .reduce<ActingBreach | undefined>(
      (worst, one) => (worst && severity(worst) >= severity(one) ? worst : one),
      undefined,
    );
}

function actionOf({ signInsFrom }: Breach, onFinding: FindingAction, now: number): FindingAction {
  const refuses = signInsFrom !== undefined && signInsFrom <= now;
  return refuses && onFinding === 'report' ? 'refuse-next-sign-in' : onFinding;
}
