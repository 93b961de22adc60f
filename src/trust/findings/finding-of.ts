import type { FindingAction, Policy } from '../../tenancy/policy.js';
import type { Breach } from '../rule.js';

/** From what leaves a key alone to what takes it out. */
const SEVERITY: readonly FindingAction[] = ['report', 'refuse-next-sign-in', 'disable'];

/** A breach that is a finding, and what is done about the key. */
export interface ActingBreach extends Breach {
  readonly action: FindingAction;
}

/**
 * What is done about a key by the rules that it breaks: by `onFinding`; where a rule holds for sign-ins too,
 * its sign-ins are refused from its day on, whatever `onFinding` says. Of several the severest counts, and of
 * those the first.
 *
 * @param now in ms since 1970
 * @returns `undefined` where no rule that is enforced is broken
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
