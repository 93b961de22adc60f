import type { ServerOptions } from '../../platform/config/server-config.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import { algorithmNumber } from '../../platform/validation/values/algorithm-name.js';
import { signatureAlgorithm } from '../../webauthn/keys/algorithms.js';
import { STATUS_VERDICTS } from '../../webauthn/metadata/status.js';
import { isOneOf } from '../../platform/validation/decorators.js';
import { VERDICTS } from '../../tenancy/policy/policy-value-types.js';
import { policyMembers } from '../../tenancy/policy/policy.js';

const fields = policyMembers.map(([name, { field, hasMode, onKeys, section }]) => ({
  name,
  hasMode,
  onKeys,
  section,
  ...field,
}));

/** A member of the policy in the form. */
export type PolicyField = (typeof fields)[number];

/** All members: first the rules, then the settings, which no key can violate. */
export const POLICY_FIELDS: readonly PolicyField[] = [
  ...fields.filter(({ hasMode }) => hasMode),
  ...fields.filter(({ hasMode }) => !hasMode),
];

/** Members of the policy whose values are models. */
export const MODEL_MEMBERS: readonly string[] = ['block', 'allow'];

/** The names of the fields for the search text and for the ticked models. */
export const findField = (name: string): string => `${name}.find`;
export const addField = (name: string): string => `${name}.add`;

/** The server options that apply if the policy does not set a member. */
export type DecidingOptions = Pick<ServerOptions, 'registration' | 'verify'>;

export const labelOf = ({ name }: PolicyField): Phrase => phrase(`policy:fields.${name}.label`);

/** The value that applies if a member is not set, in words. */
export function defaultValueText(
  { name }: PolicyField,
  { registration, verify }: DecidingOptions,
): Phrase {
  if (name === 'registration') {
    const value = phrase(`policy:values.registration.${registration}`);
    return phrase('policy:asRegistration', { registration: value });
  }
  if (name === 'userVerification' && verify) return phrase('policy:asVerify');
  return phrase(`policy:fields.${name}.unset`);
}

/** A value of a member in words; values that the user typed, such as an origin, are shown unchanged. */
export function valueText({ name, kind, values = [] }: PolicyField, value: string): Phrase {
  if (name === 'status') return verdictText(value);
  const isNamed = kind !== 'lines' && name !== 'algorithms' && values.includes(value);
  if (isNamed) return phrase(`policy:values.${name}.${value}`);
  return phrase('policy:value', { value: name === 'algorithms' ? algorithmText(value) : value });
}

/** `REVOKED: refuse` in words. */
function verdictText(line: string): Phrase {
  const [status = '', verdict = ''] = line.split(': ');
  if (!Object.hasOwn(STATUS_VERDICTS, status) || !isOneOf(VERDICTS, verdict))
    return phrase('policy:value', { value: line });
  return phrase('policy:verdict', {
    status: phrase(`models:status.${status}`),
    verdict: phrase(`policy:values.status.${verdict}`),
  });
}

const algorithmText = (name: string): string =>
  signatureAlgorithm(algorithmNumber(name) ?? 0)?.name ?? name;

/** Several values in one text; `undefined` if there are none. */
export const listText = (texts: readonly Phrase[]): Phrase | undefined =>
  texts.length === 0
    ? undefined
    : texts.reduce((rest, last) => phrase('policy:list', { rest, last }));

/** The name of a model by its AAGUID; `null` if it is unknown. */
export type NameOfModel = (aaguid: string) => string | null;

/** The values of a member in words; of certificates only the number. */
export function valuesText(
  field: PolicyField,
  values: readonly string[],
  nameOfModel?: NameOfModel,
): Phrase | undefined {
  if (field.name === 'anchors' && values.length > 0)
    return phrase('policy:was.certificates', { count: values.length });
  const named = nameOfModel && MODEL_MEMBERS.includes(field.name);
  const texts = named ? values.map((value) => nameOfModel(value.toLowerCase()) ?? value) : values;
  return listText(texts.map((text) => valueText(field, text)));
}
