import type { AuditFacts } from './request-rows.js';

/** The members of a row that name the relying party of a call whose address does not. */
export const atRelyingParty = ({
  tenant,
  domain,
}: {
  readonly tenant: string;
  readonly domain: string;
}): AuditFacts => ({ tenant, relyingParty: domain });
