import { languages, plainText } from '../../platform/pages/languages/languages.js';
import { VERDICTS } from '../policy/policy-values.js';
import { POLICY_FIELDS, valueText } from './policy-fields.js';

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

  it('names each value of a policy rule that the form offers', () => {
    const unsaid = offered.filter(([field, value]) =>
      /\bvalues\.|status\.|_|attca|anonca/.test(plainText(language, valueText(field, value))),
    );
    expect(unsaid.map(([{ name }, value]) => `${name} ${value}`)).toEqual([]);
  });
});
