import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../audit/differences.js';
import type { BannerChange } from '../../platform/pages/banners.js';
import { phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { changedBy, relyingPartyMembers } from '../../tenancy/changes/relying-party-change.js';
import type { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import {
  changedMeanwhile,
  differingFrom,
  type FormLine,
  type FormMembers,
  type LastChanges,
  type TypedMembers,
} from '../../platform/pages/form-base.js';
import type { MeanwhileView } from '../../platform/pages/page.view.js';
import type { ChangeRelyingPartyDto } from '../../tenancy/tenancy.dto.js';
import { enteredOf, policyOf } from './policy-form.js';
import {
  POLICY_FIELDS,
  labelOf,
  defaultValueText,
  type DecidingOptions,
  type PolicyField,
} from './policy-fields.js';
import { writtenInWords } from './policy-words.js';
import { storedFields, wellKnownOf } from './well-known-form.js';

const NOTHING = phrase('policy:was.nothing');

type WithPolicy = Pick<RelyingPartyEntity, 'policy'>;

const publishedOf = ({ wellKnown }: RelyingPartyEntity) => storedFields(wellKnown);

const line = (
  member: string,
  label: string,
  textOf: (rp: RelyingPartyEntity) => string | null,
): FormLine<RelyingPartyEntity> => ({
  member,
  what: phrase(label),
  valueOf: (rp) => textOf(rp)?.replaceAll('\n', ', ') || NOTHING,
});

/** The lines of the form, without the policy's. */
const PLAIN_LINES = [
  line('name', 'tenants:fields.name', ({ name }) => name),
  line('origins', 'policy:plain.origins', ({ origins }) => origins.join(', ')),
  line('enrolmentUrl', 'tenants:fields.enrolmentUrl', ({ enrolmentUrl }) => enrolmentUrl),
  line('colour', 'tenants:fields.colour', ({ colour }) => colour),
  line('relatedOrigins', 'policy:plain.relatedOrigins', (rp) => publishedOf(rp).relatedOrigins),
  line('apps', 'policy:plain.androidApps', (rp) => publishedOf(rp).androidApps),
  line('apps', 'policy:plain.appleApps', (rp) => publishedOf(rp).appleApps),
  line('passkeyEndpoints', 'tenants:fields.enroll', (rp) => publishedOf(rp).enroll),
  line('passkeyEndpoints', 'tenants:fields.manage', (rp) => publishedOf(rp).manage),
  line('predecessor', 'tenants:fields.predecessor', ({ predecessor }) => predecessor),
];

export function relyingPartyChanges(
  { before, after }: Change<RelyingPartyEntity>,
  deciding: DecidingOptions,
): BannerChange[] {
  const plain = PLAIN_LINES.map(({ what, valueOf }) => ({
    what,
    before: valueOf(before),
    after: valueOf(after),
  }));
  const changed = plain.filter((line) => !isDeepStrictEqual(line.before, line.after));
  return [...changed, ...policyChangesOf({ before, after }, deciding)];
}

/** The members of a relying party's form, from the stored values. */
export function formMembers(rp: RelyingPartyEntity): FormMembers {
  const { policy } = policyOf(enteredOf(rp.policy));
  const wellKnown = wellKnownOf(publishedOf(rp)).files;
  return relyingPartyMembers({ ...rp, policy, wellKnown });
}

export type TypedForm = TypedMembers<Required<Omit<ChangeRelyingPartyDto, 'confirmedApps'>>>;

/** The members that the user changed in a form. */
export function typedChanges(
  { base, members }: TypedForm,
  found: RelyingPartyEntity,
): ChangeRelyingPartyDto {
  if (base === '') return members;
  const names = differingFrom(base, relyingPartyMembers(changedBy(found, members)));
  const { policy, ...others } = members;
  const changed = Object.entries(others).filter(([name]) => names.includes(name));
  const rules = POLICY_FIELDS.filter(({ name }) => names.includes(`policy.${name}`));
  const typed = Object.fromEntries(rules.map(({ name }) => [name, policy[name]]));
  const merged = Object.entries({ ...found.policy, ...typed });
  const set = Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  return { ...Object.fromEntries(changed), ...(rules.length > 0 && { policy: set }) };
}

const POLICY = 'policy.';

/** The relying party as it was when a member (`relyingPartyMembers`) had another value. */
function storedWith(
  stored: RelyingPartyEntity,
  member: string,
  value: unknown,
): RelyingPartyEntity {
  if (!member.startsWith(POLICY)) return changedBy(stored, { [member]: value });
  return { ...stored, policy: { ...stored.policy, [member.slice(POLICY.length)]: value } };
}

/**
 * The changes that others made since the form was shown, and how saving the form would affect them.
 *
 * @param saved the relying party after saving the form
 */
export const partyChangedMeanwhile = (
  base: string,
  { stored, saved }: { readonly stored: RelyingPartyEntity; readonly saved: RelyingPartyEntity },
  deciding: DecidingOptions,
  last: LastChanges,
): MeanwhileView[] =>
  changedMeanwhile(
    differingFrom(base, formMembers(stored)),
    [...PLAIN_LINES, ...policyLines(deciding)],
    { stored, saved, storedWith: (member, value) => storedWith(stored, member, value) },
    last,
  );

const policyLines = (deciding: DecidingOptions): FormLine<WithPolicy>[] =>
  POLICY_FIELDS.map((field) => ({
    member: POLICY + field.name,
    what: labelOf(field),
    valueOf: (rp) => memberOf(field, rp, deciding),
  }));

/** The differences between two policies, in the words of the page. */
export function policyChangesOf(
  { before, after }: Change<WithPolicy>,
  deciding: DecidingOptions,
): BannerChange[] {
  return POLICY_FIELDS.filter(
    ({ name }) => !isDeepStrictEqual(before.policy[name], after.policy[name]),
  ).map((field) => ({
    what: labelOf(field),
    before: memberOf(field, before, deciding),
    after: memberOf(field, after, deciding),
  }));
}

/** `enforced: ticket; at sign-ins too`, `not set: open, as --registration says` */
const memberOf = (field: PolicyField, { policy }: WithPolicy, deciding: DecidingOptions): Text =>
  writtenInWords(field, policy[field.name]) ??
  phrase('policy:was.unset', { holds: defaultValueText(field, deciding) });
