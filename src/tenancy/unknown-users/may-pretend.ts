import { ApiError } from '../../platform/errors/api-error.js';
import { isGuarded, readPolicy } from '../policy/policy.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import type { RelyingParty } from '../relying-party.js';

const refused = (reason: 'policy.pretendMoving' | 'policy.pretendOpen') =>
  new ApiError('E0045R', reason, {}, { field: 'unknownUsers' });

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
  if (former?.policy.unknownUsers === 'pretend') throw refused('policy.pretendMoving');
  if (policy.unknownUsers !== 'pretend') return;
  if (!isGuarded(policy)) throw refused('policy.pretendOpen');
  if (predecessor !== null || open.some((rp) => rp.predecessor === domain)) {
    throw refused('policy.pretendMoving');
  }
}
