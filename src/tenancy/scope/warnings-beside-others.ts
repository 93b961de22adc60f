import type { Account } from '../../platform/access/accounts/account.js';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import { moveWarnings } from '../origin-warnings.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import type { AudienceOwners } from './audience-owners.js';
import type { RelyingParties } from './relying-parties.js';

/** Warnings for an account about a stored relying party beside all others. */
export const warningsBesideOthers = (
  relyingParties: RelyingParties,
  account: Account,
  tenant: string,
  rp: RelyingPartyEntity,
): readonly Problem[] => [
  ...audienceWarnings(relyingParties.audiences, account, tenant, rp),
  ...warningsOfMoves(relyingParties, rp),
];

/** Warnings about moves in which the relying party is the successor or the predecessor. */
function warningsOfMoves(
  relyingParties: RelyingParties,
  rp: RelyingPartyEntity,
): readonly Problem[] {
  const predecessor = relyingParties.predecessorOf(rp);
  const successor = relyingParties.successorOf(rp);
  return [
    ...(predecessor ? moveWarnings(rp, predecessor) : []),
    ...(successor ? moveWarnings({ ...successor, origins: successor.listedOrigins }, rp) : []),
  ];
}

/** Warnings about audiences of two tenants; only accounts of all tenants learn of other tenants. */
function audienceWarnings(
  owners: AudienceOwners,
  { tenants }: Account,
  tenant: string,
  { domain, policy }: RelyingPartyEntity,
): readonly Problem[] {
  const foreign = owners.foreignOf({ tenant, policy });
  const elsewhere = tenants ? [] : owners.listedElsewhere(tenant, domain);
  return [
    ...(foreign.length > 0 ? [problem('audiences.foreign', listing(foreign))] : []),
    ...elsewhere.map(({ holder, audiences }) =>
      problem('audiences.listedElsewhere', {
        ...listing(audiences),
        domain: holder.domain,
        otherTenant: holder.tenant,
      }),
    ),
  ];
}

const listing = (audiences: readonly string[]) => ({ audiences: audiences.join(', ') });
