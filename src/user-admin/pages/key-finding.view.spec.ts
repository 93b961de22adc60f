import { plainText } from '../../presentation/languages/languages.js';
import type { OpenFinding } from '../../trust/findings/open-findings.js';
import { keyFinding } from './key-finding.view.js';

const DAY = Date.UTC(2026, 10, 24);
const found: OpenFinding = {
  ...{ id: Buffer.alloc(16), rule: 'status', code: 'E0038R', action: 'report' },
  ...{ enabled: true, refusedWith: null, from: undefined },
};

describe('what is found about a key', () => {
  it.each<[string, Partial<OpenFinding>, RegExp]>([
    ['reported', {}, /^It is only reported: nothing changes/],
    ['of a rule that will', { from: DAY }, /^It is only reported until 2026-11-24 00:00/],
    ['refused', { action: 'refuse-next-sign-in', refusedWith: 'E0038R' }, /will be refused/],
    ['let in', { action: 'refuse-next-sign-in' }, /^Somebody has enabled/],
    ['off', { action: 'disable', refusedWith: 'E0038R', enabled: false }, /^The rule has disabled/],
    ['off by a person', { action: 'disable', enabled: false }, /^Somebody has disabled/],
  ])('is said to mean for its person: %s', (_, more, expected) => {
    expect(plainText('en', keyFinding({ ...found, ...more }).means)).toMatch(expected);
  });

  it.each([
    ['status', 'Status in the metadata'],
    ['fips', 'FIPS 140'],
    ['whitelist', 'Whitelist'],
    ['revoked', 'Revoked certificates'],
  ])('names the rule %s', (rule, label) => {
    expect(plainText('en', keyFinding({ ...found, rule }).rule)).toContain(label);
  });
});
