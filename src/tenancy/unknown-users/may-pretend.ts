import { ApiError } from '../../errors/api-error.js';
import { isGuarded, readPolicy } from '../policy.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import type { RelyingParty } from '../relying-party.js';

const OPEN =
  '"policy.unknownUsers" can be "pretend" only beside "registration": "ticket" or "callers": "keys": ' +
  'else the begin call of a registration tells who is known.';
const MOVING =
  '"policy.unknownUsers" cannot be "pretend" where users move from one domain to another: whom the new ' +
  'one offers keys of the old one is known there.';

/**
 * Refuses a change after which a relying party would pretend that everybody has keys, and other calls would
 * tell who really has some.
 *
 * @param open all open relying parties, as the database holds them now
 * @throws ApiError E0045R
 */
export function ensureMayPretend(
  {
    domain,
    predecessor,
    ...planned
  }: Pick<RelyingPartyEntity, 'domain' | 'predecessor' | 'policy'>,
  open: readonly RelyingParty[],
): void {
  const policy = readPolicy(planned.policy);
  const former = open.find((rp) => rp.domain === predecessor);
  if (former?.policy.unknownUsers === 'pretend') throw new ApiError('E0045R', MOVING);
  if (policy.unknownUsers !== 'pretend') return;
  if (!isGuarded(policy)) throw new ApiError('E0045R', OPEN);
  if (predecessor !== null || open.some((rp) => rp.predecessor === domain)) {
    throw new ApiError('E0045R', MOVING);
  }
}
