import type { ApiPropertyOptions } from '@nestjs/swagger';
import { policyMembers } from './policy.js';

/** The policy of a relying party in the OpenAPI document; `docs/trust.md` explains it. */
export const POLICY_SCHEMA: ApiPropertyOptions = {
  type: 'object',
  additionalProperties: false,
  description:
    'Policy of the relying party. A rule is a value alone, which is enforced, or {"mode": ' +
    '"off" | "report" | "enforce", "value" | "list": …}; "report" lets the ceremony pass and ' +
    'creates an event.',
  properties: Object.fromEntries(
    // The decorators' own type of a property is narrower than a schema of the document.
    policyMembers.map(([name, { schema }]) => [name, schema as ApiPropertyOptions]),
  ),
  example: {
    userVerification: 'required',
    counter: 'disable',
    trust: { mode: 'report' },
    formats: { mode: 'enforce', list: ['packed'] },
  },
};
