const PREFIX = 'rule.broken ';

/** The detail that the ledger records for a refusal by a policy rule. */
export const brokenRule = (rule: string): string => `${PREFIX}${rule}`;

/** The rule that refused, from the detail of its event; `undefined` for other refusals and in older events. */
export const brokenRuleIn = (detail: string | null): string | undefined =>
  detail?.startsWith(PREFIX) ? detail.slice(PREFIX.length).split(' ')[0] : undefined;
