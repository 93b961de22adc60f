const PREFIX = 'rule.broken ';

/** The detail that the ledger records of a refusal by a rule of the policy. */
export const brokenRule = (rule: string): string => `${PREFIX}${rule}`;

/** The rule that refused, by the detail of its event; `undefined` for other refusals and in older events. */
export const brokenRuleIn = (detail: string | null): string | undefined =>
  detail?.startsWith(PREFIX) ? detail.slice(PREFIX.length).split(' ')[0] : undefined;
