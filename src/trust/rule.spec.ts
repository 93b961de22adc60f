import { languages, plainText } from '../platform/pages/languages/languages.js';
import { POLICY_SCHEMA } from '../tenancy/policy/policy.js';
import { ruleLabel } from '../platform/pages/languages/phrase.js';

const { properties } = POLICY_SCHEMA as { readonly properties: object };
const RULES = [...Object.keys(properties), 'whitelist', 'revoked', 'reported'];

describe.each(languages)('the name of a rule in %s', (language) => {
  it.each(RULES)('the label of the rule %s consists of words', (rule) => {
    const label = plainText(language, ruleLabel(rule));
    expect(label).not.toMatch(/^policy:/);
    expect(label).not.toBe(rule);
  });
});
