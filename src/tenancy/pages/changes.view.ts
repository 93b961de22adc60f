import { isDeepStrictEqual } from 'node:util';
import type { BannerChange } from '../../platform/pages/banners.js';
import { dayValue, phrase, type Text } from '../../platform/pages/languages/phrase.js';
import {
  changedBy,
  relyingPartyMembers,
  type RelyingPartyChange,
} from '../changes/relying-party-change.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import { completeWellKnown } from '../well-known/well-known.js';
import {
  changedMeanwhile,
  differingFrom,
  type FormMembers,
  type LastChanges,
  type MemberInWords,
  type TypedMembers,
} from '../../platform/pages/form-base.js';
import type { MeanwhileView } from '../../platform/pages/page.view.js';
import type { ChangeRelyingPartyDto } from '../tenancy.dto.js';
import { enteredMember, enteredOf, policyOf } from './policy-form.js';
import {
  POLICY_FIELDS,
  labelOf,
  valuesText,
  defaultValueText,
  type DecidingOptions,
  type NameOfModel,
  type PolicyField,
} from './policy-fields.js';
import { storedFields, wellKnownOf } from './well-known-form.js';

const NOTHING = phrase('policy:was.nothing');

type WithPolicy = Pick<RelyingPartyEntity, 'policy'>;

export function relyingPartyChanges(
  { before, after }: RelyingPartyChange,
  deciding: DecidingOptions,
): BannerChange[] {
  const was = plainOf(before);
  const plain = plainOf(after)
    .map(({ what, value }, n) => ({ what, before: was[n]?.value ?? NOTHING, after: value }))
    .filter(({ before, after }) => !isDeepStrictEqual(before, after));
  return [...plain, ...policyChangesOf({ before, after }, deciding)];
}

/** The members of a relying party's form, from the stored values. */
export function formMembers(rp: RelyingPartyEntity): FormMembers {
  const { policy } = policyOf(enteredOf(rp.policy));
  const wellKnown = wellKnownOf(storedFields(completeWellKnown(rp.wellKnown))).files;
  return relyingPartyMembers({ ...rp, policy, wellKnown });
}

export type TypedForm = TypedMembers<Required<Omit<ChangeRelyingPartyDto, 'domain'>>>;

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
  const merged = { ...found.policy };
  for (const { name } of rules) {
    if (policy[name] === undefined) Reflect.deleteProperty(merged, name);
    else Object.assign(merged, { [name]: policy[name] });
  }
  return { ...Object.fromEntries(changed), ...(rules.length > 0 && { policy: merged }) };
}

const POLICY = 'policy.';

/** The relying party as it was when a member (`relyingPartyMembers`) had another value. */
function whenMember(now: RelyingPartyEntity, member: string, value: unknown): RelyingPartyEntity {
  if (!member.startsWith(POLICY)) return changedBy(now, { [member]: value });
  return { ...now, policy: { ...now.policy, [member.slice(POLICY.length)]: value } };
}

/**
 * The changes that others made since the form was shown, and how saving the form would affect them.
 *
 * @param now the stored relying party
 * @param then the relying party after saving the form
 */
export const partyChangedMeanwhile = (
  base: string,
  { now, then }: { readonly now: RelyingPartyEntity; readonly then: RelyingPartyEntity },
  deciding: DecidingOptions,
  last: LastChanges,
): MeanwhileView[] =>
  changedMeanwhile(
    differingFrom(base, formMembers(now)),
    { now, then, when: (member, value) => whenMember(now, member, value) },
    (rp) => [...plainOf(rp), ...policyOfParty(rp, deciding)],
    last,
  );

const policyOfParty = (rp: WithPolicy, deciding: DecidingOptions): MemberInWords[] =>
  POLICY_FIELDS.map((field) => ({
    member: POLICY + field.name,
    what: labelOf(field),
    value: memberOf(field, rp, deciding),
  }));

/** The differences between two policies, in the words of the page. */
export function policyChangesOf(
  { before, after }: { readonly before: WithPolicy; readonly after: WithPolicy },
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

/** The members other than the policy, in words. */
function plainOf({ name, origins, wellKnown, ...rp }: RelyingPartyEntity): MemberInWords[] {
  const published = storedFields(completeWellKnown(wellKnown));
  const line = (member: string, label: string, text: string | null) => ({
    member,
    what: phrase(label),
    value: text?.replaceAll('\n', ', ') || NOTHING,
  });
  return [
    line('name', 'tenants:fields.name', name),
    line('origins', 'policy:plain.origins', origins.join(', ')),
    line('enrolmentUrl', 'tenants:fields.enrolmentUrl', rp.enrolmentUrl),
    line('colour', 'tenants:fields.colour', rp.colour),
    line('relatedOrigins', 'policy:plain.relatedOrigins', published.relatedOrigins),
    line('apps', 'policy:plain.androidApps', published.androidApps),
    line('apps', 'policy:plain.appleApps', published.appleApps),
    line('passkeyEndpoints', 'tenants:fields.enroll', published.enroll),
    line('passkeyEndpoints', 'tenants:fields.manage', published.manage),
    line('predecessor', 'tenants:fields.predecessor', rp.predecessor),
  ];
}

/** `enforced: ticket; at sign-ins too`, `not set: open, as --registration says` */
const memberOf = (field: PolicyField, { policy }: WithPolicy, deciding: DecidingOptions): Text =>
  writtenInWords(field, policy[field.name]) ??
  phrase('policy:was.unset', { holds: defaultValueText(field, deciding) });

/** A member of a policy in words; `undefined` if the policy does not set it. */
export function writtenInWords(
  field: PolicyField,
  written: unknown,
  nameOfModel?: NameOfModel,
): Text | undefined {
  const { mode = '', values = [], when, from } = enteredMember(field, written);
  if (mode === 'off') return phrase('policy:was.off');
  const said = valuesText(field, values, nameOfModel);
  if (!said) return undefined;
  const text = field.hasMode ? phrase(`policy:was.${mode}`, { said }) : said;
  if (when === undefined) return text;
  return from === undefined
    ? phrase('policy:was.both', { said: text })
    : phrase('policy:was.from', { said: text, from: dayValue(from) });
}
