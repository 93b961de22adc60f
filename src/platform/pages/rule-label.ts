import { phrase, type Phrase } from './languages/phrase.js';

/** Rules that apply without being part of a policy. */
const OF_NO_POLICY: readonly string[] = ['whitelist', 'revoked'];

/** Label of the rule of a breach or finding, the same as in the policy's form. */
export const ruleLabel = (rule: string): Phrase =>
  OF_NO_POLICY.includes(rule)
    ? phrase(`policy:rules.${rule}`)
    : phrase(`policy:fields.${rule}.label`);
