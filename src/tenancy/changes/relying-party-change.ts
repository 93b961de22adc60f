import { differencesBetween, type Change } from '../../audit/differences.js';
import type { AuditDetail } from '../../audit/audit-entry.js';
import { normalizeOrigins } from '../../platform/validation/values/domain.js';
import type { RelyingPartyPolicy } from '../policy/policy.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import { confirmedAppsOf } from '../scope/app-origins.js';
import type { ChangeRelyingPartyDto } from '../tenancy.dto.js';
import { allowedOrigins, wellKnownIn } from '../well-known/well-known.js';
import type { Tenant } from '../tenant.entity.js';

/** Returns the relying party with the members of the DTO applied; members that are absent do not change. */
export function changedBy(found: RelyingPartyEntity, dto: ChangeRelyingPartyDto) {
  const {
    name = found.name,
    origins = found.origins,
    policy = found.policy,
    enrolmentUrl = found.enrolmentUrl,
    colour = found.colour,
    predecessor = found.predecessor,
  } = dto;
  const wellKnown = { ...found.wellKnown, ...wellKnownIn(dto) };
  return {
    ...found,
    name,
    origins: normalizeOrigins(origins),
    policy: normalizedPolicy(policy),
    wellKnown,
    enrolmentUrl,
    colour,
    predecessor,
  };
}

/** The policy with its origins as browsers write them. */
export const normalizedPolicy = (policy: RelyingPartyPolicy): RelyingPartyPolicy =>
  policy.topOrigins ? { ...policy, topOrigins: normalizeOrigins(policy.topOrigins) } : policy;

/** The origins that a change adds. */
export function newOrigins(before: RelyingPartyEntity, after: RelyingPartyEntity): string[] {
  const known = allowedOrigins(before);
  return allowedOrigins(after).filter((origin) => !known.includes(origin));
}

/** The audiences that a change of the policy adds. */
export const newAudiences = (before: RelyingPartyPolicy, after: RelyingPartyPolicy): string[] =>
  (after.audiences ?? []).filter((audience) => !before.audiences?.includes(audience));

/** The differences for the audit trail: each member, and each member of the policy, before and after. */
export const relyingPartyDifferences = ({
  before,
  after,
}: Change<RelyingPartyEntity>): AuditDetail =>
  differencesBetween(auditedMembers(before), auditedMembers(after));

const auditedMembers = (rp: RelyingPartyEntity) => ({
  ...relyingPartyMembers(rp),
  confirmedApps: confirmedAppsOf(rp),
});

/** The members of the relying party and of its policy, by name. */
export const relyingPartyMembers = (rp: RelyingPartyEntity): Record<string, unknown> => ({
  name: rp.name,
  origins: rp.origins,
  enrolmentUrl: rp.enrolmentUrl,
  colour: rp.colour,
  ...Object.fromEntries(
    Object.entries(rp.policy).map(([rule, value]) => [`policy.${rule}`, value]),
  ),
  predecessor: rp.predecessor,
  ...rp.wellKnown,
});

export const tenantDifferences = ({ before, after }: Change<Tenant>): AuditDetail =>
  differencesBetween({ displayName: before.displayName }, { displayName: after.displayName });
