import { dayValue, phrase, type Phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { policyProblem, type RelyingPartyPolicy } from '../../tenancy/policy/policy.js';
import { enteredMember } from './policy-form.js';
import {
  POLICY_FIELDS,
  labelOf,
  valuesText,
  type NameOfModel,
  type PolicyField,
} from './policy-fields.js';

type WrittenProfiles = NonNullable<RelyingPartyPolicy['profiles']>;

/** A member of a policy in words; `undefined` if the policy does not set it. */
export function writtenInWords(
  field: PolicyField,
  written: unknown,
  nameOfModel?: NameOfModel,
): Text | undefined {
  if (field.kind === 'json') return profilesInWords(profilesOf(written), nameOfModel);
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

/** The profiles in a policy or in a form's JSON text; none if they are not valid. */
export function profilesOf(written: unknown): WrittenProfiles {
  const isValid = written !== undefined && policyProblem({ profiles: written }) === undefined;
  return isValid ? (written as WrittenProfiles) : [];
}

/** `Administrators (group admins): user verification – enforced: required` */
export function profileInWords(
  { name, group, rules }: WrittenProfiles[number],
  nameOfModel?: NameOfModel,
): Phrase {
  const replaced = POLICY_FIELDS.flatMap((field) => {
    const said = writtenInWords(field, rules[field.name as keyof typeof rules], nameOfModel);
    return said ? [phrase('policy:profile.rule', { label: labelOf(field), said })] : [];
  });
  const texts = replaced.length > 0 ? replaced : [phrase('policy:profile.nothing')];
  return phrase('policy:profile.of', { name, group, rules: joined(texts) });
}

const profilesInWords = (
  profiles: WrittenProfiles,
  nameOfModel?: NameOfModel,
): Phrase | undefined =>
  profiles.length === 0
    ? undefined
    : joined(profiles.map((profile) => profileInWords(profile, nameOfModel)));

const joined = (texts: readonly Phrase[]): Phrase =>
  texts.reduce((rest, last) => phrase('policy:profile.more', { rest, last }));
