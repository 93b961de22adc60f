import { phrase } from '../presentation/languages/phrase.js';
import type { Phrase } from '../presentation/languages/phrase.js';

/** Rules that hold without standing in a policy. */
const OF_NO_POLICY: readonly string[] = ['whitelist', 'revoked'];

/** What people call the rule of a breach or a finding: the same as the form of the policy does. */
export const ruleLabel = (rule: string): Phrase =>
  OF_NO_POLICY.includes(rule)
    ? phrase(`policy:rules.${rule}`)
    : phrase(`policy:fields.${rule}.label`);
