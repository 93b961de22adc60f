import type { Account } from '../../platform/access/accounts/account.js';
import { newId } from '../../platform/database/row-ids.js';
import { normalizeOrigins } from '../../platform/validation/values/domain.js';
import { policyBy } from '../policy/policy.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import { defaultOrigins, type RelyingParty } from '../relying-party.js';
import type { ChangeRelyingPartyDto, CreateRelyingPartyDto } from '../tenancy.dto.js';
import { ensureOnOrigin } from '../tenancy.validators.js';
import { ensureMayPretend } from '../key-survey/key-survey.js';
import { allowedOrigins, completeWellKnown, wellKnownIn } from '../well-known/well-known.js';
import { ensureMayAdd } from './domain-ownership.js';
import { ensureMoveIsSafe } from './predecessor.js';
import { changedBy, newAudiences, newOrigins, normalizedPolicy } from './relying-party-change.js';

/** The members that do not depend on the rows of other tables. */
type PlannedRelyingParty = Omit<RelyingPartyEntity, 'confirmedApps' | 'keyShapes' | 'foldsNames'>;

/** A relying party as a call would store it, and what the call adds to the tenant. */
interface RelyingPartyPlan<Planned extends PlannedRelyingParty> {
  readonly planned: Planned;
  readonly added: {
    readonly domain?: string;
    readonly origins: readonly string[];
    readonly audiences: readonly string[];
  };
}

/** A new relying party of a tenant. */
export function planAddition(
  tenantId: Buffer,
  dto: CreateRelyingPartyDto,
  now: number,
): RelyingPartyPlan<PlannedRelyingParty> {
  const {
    domain,
    name = domain,
    policy = {},
    enrolmentUrl = null,
    colour = null,
    predecessor = null,
  } = dto;
  const planned = {
    id: newId(),
    tenantId,
    domain,
    name,
    origins: normalizeOrigins(dto.origins ?? defaultOrigins(domain)),
    policy: normalizedPolicy(policy),
    wellKnown: completeWellKnown(wellKnownIn(dto)),
    enrolmentUrl,
    colour,
    predecessor,
    createdAt: now,
    changedAt: now,
    closedAt: 0,
  };
  const origins = allowedOrigins(planned);
  return { planned, added: { domain, origins, audiences: newAudiences({}, policy) } };
}

/**
 * A stored relying party with the members of the DTO applied.
 *
 * @param changedAt its next version
 */
export function planChange(
  by: Account,
  before: RelyingPartyEntity,
  dto: ChangeRelyingPartyDto,
  changedAt: number,
): RelyingPartyPlan<RelyingPartyEntity> {
  const policy = dto.policy && policyBy(by, before.policy, dto.policy);
  const planned = { ...changedBy(before, { ...dto, ...(policy && { policy }) }), changedAt };
  const origins = newOrigins(before, planned);
  return { planned, added: { origins, audiences: newAudiences(before.policy, planned.policy) } };
}

/**
 * Checks a plan against all open relying parties.
 *
 * @throws ApiError E0045R if the account may not add this, or another relying party rules it out
 */
export function ensurePlanAllowed(
  by: Account,
  tenant: string,
  { planned, added }: RelyingPartyPlan<PlannedRelyingParty>,
  open: readonly RelyingParty[],
): void {
  ensureMayAdd(by, { tenant, ...added }, open);
  ensureMoveIsSafe({ ...planned, tenant }, open);
  ensureMayPretend(planned, open);
  ensureOnOrigin(planned.enrolmentUrl, allowedOrigins(planned));
}
