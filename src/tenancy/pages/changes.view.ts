import { isDeepStrictEqual } from 'node:util';
import type { BannerChange } from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Text } from '../../platform/pages/languages/phrase.js';
import type { RelyingPartyChange } from '../changes/relying-party-change.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import { completeWellKnown } from '../well-known/well-known.js';
import { differingFrom } from '../../platform/pages/form-base.js';
import type { FormMembers } from '../../platform/pages/form-base.js';
import type { MeanwhileView } from '../../platform/pages/page.view.js';
import { changedBy, membersOf } from '../changes/relying-party-change.js';
import type { ChangeRelyingPartyDto } from '../tenancy.dto.js';
import { enteredOf, policyOf } from './policy-form.js';
import { RULES, SETTINGS, labelOf, valuesText, whatHolds } from './policy-fields.js';
import type { DecidingOptions, PolicyField } from './policy-fields.js';
import { storedFields, wellKnownOf } from './well-known-form.js';

const NOTHING = phrase('policy:was.nothing');

type WithPolicy = Pick<RelyingPartyEntity, 'policy'>;

/** The differences between a relying party before and after a change, in the words of its page. */
export function changesOf(
  { before, after }: RelyingPartyChange,
  deciding: DecidingOptions,
): BannerChange[] {
  const was = plainOf(before);
  const plain = Object.entries(plainOf(after))
    .filter(([what, value]) => was[what] !== value)
    .map(([what, value]) => ({
      what: phrase(what),
      before: was[what] || NOTHING,
      after: value || NOTHING,
    }));
  return [...plain, ...policyChangesOf({ before, after }, deciding)];
}

/** The members of a form for a relying party, as it reads what is stored. */
export function formMembers(rp: RelyingPartyEntity): FormMembers {
  const { policy } = policyOf(enteredOf(rp.policy));
  const wellKnown = wellKnownOf(storedFields(completeWellKnown(rp.wellKnown))).said;
  return membersOf({ ...rp, policy, wellKnown });
}

/** A form for a relying party that nothing is wrong with. */
export interface TypedForm {
  /** Its hidden field; empty where a program sent none. */
  readonly base: string;
  readonly members: Required<Omit<ChangeRelyingPartyDto, 'domain'>>;
}

/** What somebody has changed in a form, and nothing else. */
export function typedChanges(
  { base, members }: TypedForm,
  found: RelyingPartyEntity,
): ChangeRelyingPartyDto {
  if (base === '') return members;
  const names = differingFrom(base, membersOf(changedBy(found, members)));
  const { policy, ...others } = members;
  const changed = Object.entries(others).filter(([name]) => names.includes(name));
  const rules = [...RULES, ...SETTINGS].filter(({ name }) => names.includes(`policy.${name}`));
  const merged = { ...found.policy };
  for (const { name } of rules) {
    if (policy[name] === undefined) Reflect.deleteProperty(merged, name);
    else Object.assign(merged, { [name]: policy[name] });
  }
  return { ...Object.fromEntries(changed), ...(rules.length > 0 && { policy: merged }) };
}

/**
 * What others have changed since the form was shown, and what saving the form would make of that.
 *
 * @param now as it is stored
 * @param then as saving the form would store it
 */
export function changedMeanwhile(
  base: string,
  { now, then }: { readonly now: RelyingPartyEntity; readonly then: RelyingPartyEntity },
  deciding: DecidingOptions,
): MeanwhileView[] {
  const names = differingFrom(base, formMembers(now));
  const yours = plainOf(then);
  const plain = Object.entries(plainOf(now))
    .filter(([what]) => names.includes(MEMBERS[what] ?? ''))
    .map(([what, value]) => ({
      what: phrase(what),
      now: value || NOTHING,
      yours: yours[what] === value ? undefined : yours[what] || NOTHING,
    }));
  const policy = [...RULES, ...SETTINGS]
    .filter(({ name }) => names.includes(`policy.${name}`))
    .map((field) => ({
      what: labelOf(field),
      now: memberOf(field, now, deciding),
      yours: isDeepStrictEqual(now.policy[field.name], then.policy[field.name])
        ? undefined
        : memberOf(field, then, deciding),
    }));
  return [...plain, ...policy];
}

/** The differences between two policies, in the words of the page. */
export function policyChangesOf(
  { before, after }: { readonly before: WithPolicy; readonly after: WithPolicy },
  deciding: DecidingOptions,
): BannerChange[] {
  return [...RULES, ...SETTINGS]
    .filter(({ name }) => !isDeepStrictEqual(before.policy[name], after.policy[name]))
    .map((field) => ({
      what: labelOf(field),
      before: memberOf(field, before, deciding),
      after: memberOf(field, after, deciding),
    }));
}

/** The members besides the policy, by the name of the text that labels them on the page. */
const MEMBERS: Readonly<Record<string, string>> = {
  'tenants:fields.name': 'name',
  'policy:plain.origins': 'origins',
  'tenants:fields.enrolmentUrl': 'enrolmentUrl',
  'tenants:fields.colour': 'colour',
  'policy:plain.relatedOrigins': 'relatedOrigins',
  'policy:plain.androidApps': 'apps',
  'policy:plain.appleApps': 'apps',
  'tenants:fields.enroll': 'passkeyEndpoints',
  'tenants:fields.manage': 'passkeyEndpoints',
  'tenants:fields.predecessor': 'predecessor',
};

/** What the members besides the policy contain, by the name of the text that labels them on the page. */
function plainOf({ name, origins, wellKnown, ...rp }: RelyingPartyEntity): Record<string, string> {
  const published = storedFields(completeWellKnown(wellKnown));
  return {
    'tenants:fields.name': name,
    'policy:plain.origins': origins.join(', '),
    'tenants:fields.enrolmentUrl': rp.enrolmentUrl ?? '',
    'tenants:fields.colour': rp.colour ?? '',
    'policy:plain.relatedOrigins': published.relatedOrigins.replaceAll('\n', ', '),
    'policy:plain.androidApps': published.androidApps.replaceAll('\n', ', '),
    'policy:plain.appleApps': published.appleApps.replaceAll('\n', ', '),
    'tenants:fields.enroll': published.enroll,
    'tenants:fields.manage': published.manage,
    'tenants:fields.predecessor': rp.predecessor ?? '',
  };
}

/** `enforced: ticket`, `not set: open, as --registration says` */
function memberOf(field: PolicyField, { policy }: WithPolicy, deciding: DecidingOptions): Text {
  const { mode = '', values = [] } = enteredOf(policy).get(field.name) ?? {};
  if (mode === 'off') return phrase('policy:was.off');
  const said = valuesText(field, values);
  if (!said) return phrase('policy:was.unset', { holds: whatHolds(field, deciding) });
  const isRule = RULES.includes(field);
  return isRule ? phrase(`policy:was.${mode}`, { said }) : said;
}
