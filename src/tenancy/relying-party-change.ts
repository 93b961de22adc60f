import { isDeepStrictEqual } from 'node:util';
import type { AuditDetail } from '../audit/audit-row.js';
import { hostOfOrigin } from './origin-list.js';
import type { RelyingPartyEntity } from './relying-party.entity.js';
import type { ChangeRelyingPartyDto } from './tenancy.dto.js';
import { allowedOrigins, completeWellKnown, wellKnownIn } from './well-known/well-known.js';

/** What a relying party was, and what a change made of it. */
export interface RelyingPartyChange {
  readonly before: RelyingPartyEntity;
  readonly after: RelyingPartyEntity;
}

/** With what is given, and all else as it was. */
export function changedBy(found: RelyingPartyEntity, dto: ChangeRelyingPartyDto) {
  const { name = found.name, origins = found.origins, policy = found.policy } = dto;
  const { enrolmentUrl = found.enrolmentUrl, colour = found.colour } = dto;
  const wellKnown = { ...found.wellKnown, ...wellKnownIn(dto) };
  return { ...found, name, origins, policy, wellKnown, enrolmentUrl, colour };
}

type Allowing = Pick<RelyingPartyEntity, 'origins' | 'wellKnown'>;

/** All that it allows: listed, related, and of apps. */
export const originsOf = ({ origins, wellKnown }: Allowing): readonly string[] =>
  allowedOrigins(origins, completeWellKnown(wellKnown));

/**
 * What it allows now and did not allow. Its own domain is its tenant's already, on any port and with all
 * below it.
 */
export function newOrigins(before: RelyingPartyEntity, after: RelyingPartyEntity): string[] {
  const known = originsOf(before);
  return originsOf(after).filter(
    (origin) => !known.includes(origin) && hostOfOrigin(origin) !== before.domain,
  );
}

/** Longer values, such as certificates, are cut: the audit trail says that they changed. */
const MAX_TEXT = 2000;

/** What differs, for the audit trail: each member as JSON before and after. */
export function differencesOf(before: RelyingPartyEntity, after: RelyingPartyEntity): AuditDetail {
  const [was, is] = [membersOf(before), membersOf(after)];
  const changed = Object.entries(is).filter(
    ([name, value]) => !isDeepStrictEqual(value, was[name]),
  );
  return Object.fromEntries(
    changed.flatMap(([name, value]) => [
      [`${name} before`, textOf(was[name])],
      [`${name} after`, textOf(value)],
    ]),
  );
}

const membersOf = ({ name, origins, policy, wellKnown, ...rp }: RelyingPartyEntity) => {
  const members: Record<string, unknown> = {
    ...{ name, origins, policy, enrolmentUrl: rp.enrolmentUrl, colour: rp.colour },
    ...completeWellKnown(wellKnown),
  };
  return members;
};

function textOf(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
