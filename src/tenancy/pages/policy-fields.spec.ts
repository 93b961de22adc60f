import { languages, plainText } from '../../platform/pages/languages/languages.js';
import { RULES, SETTINGS, valueText } from './policy-fields.js';
import { VERDICTS } from '../policy/policy-values.js';

const FIELDS = [...RULES, ...SETTINGS];

/** Every value that the form offers for a member. */
const offered = FIELDS.flatMap((field) =>
  (field.values ?? []).flatMap((value) =>
    field.kind === 'verdicts'
      ? VERDICTS.map((verdict) => [field, `${value}: ${verdict}`] as const)
      : [[field, value] as const],
  ),
);

describe.each(languages)('the policy form in %s', (language) => {
  it('describes each rule in a sentence', () => {
    const missing = FIELDS.filter(({ name }) => {
      const key = `policy:fields.${name}.says`;
      return !plainText(language, { key, values: { value: 'X' } }).includes('X');
    });
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('names each value that it offers', () => {
    const unsaid = offered.filter(([field, value]) =>
      /\bvalues\.|status\.|_|attca|anonca/.test(plainText(language, valueText(field, value))),
    );
    expect(unsaid.map(([{ name }, value]) => `${name} ${value}`)).toEqual([]);
  });
});
