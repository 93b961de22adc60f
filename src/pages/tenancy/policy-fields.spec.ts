import { phrase } from '../../platform/pages/languages/phrase.js';
import { languages, plainText } from '../../platform/pages/languages/languages.js';
import { VERDICTS } from '../../tenancy/policy/policy-value-types.js';
import { POLICY_FIELDS, defaultValueText, labelOf, valueText } from './policy-fields.js';

/** Every value that the form offers for a member. */
const offered = POLICY_FIELDS.flatMap((field) =>
  (field.values ?? []).flatMap((value) =>
    field.kind === 'verdicts'
      ? VERDICTS.map((verdict) => [field, `${value}: ${verdict}`] as const)
      : [[field, value] as const],
  ),
);

describe.each(languages)('the policy form in %s', (language) => {
  it('describes each policy rule in a sentence', () => {
    const missing = POLICY_FIELDS.filter(({ name }) => {
      const key = `policy:fields.${name}.says`;
      return !plainText(language, { key, values: { value: 'X' } }).includes('X');
    });
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('the policy form has a label, a hint and a default in words for each policy rule', () => {
    const keys = POLICY_FIELDS.flatMap((field) => [
      labelOf(field),
      phrase(`policy:fields.${field.name}.hint`),
      defaultValueText(field, { registration: 'open', verify: false }),
    ]);
    const texts = keys.map((key) => plainText(language, key));
    expect(texts.filter((text) => text.startsWith('policy:'))).toEqual([]);
  });

  it('names each value of a policy rule that the form offers', () => {
    const unsaid = offered.filter(([field, value]) =>
      /\bvalues\.|status\.|_|attca|anonca/.test(plainText(language, valueText(field, value))),
    );
    expect(unsaid.map(([{ name }, value]) => `${name} ${value}`)).toEqual([]);
  });
});
