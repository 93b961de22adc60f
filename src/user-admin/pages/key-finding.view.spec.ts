import { plainText } from '../../presentation/languages/languages.js';
import type { OpenFinding } from '../../trust/findings/open-findings.js';
import { keyFinding } from './key-finding.view.js';

const NOW = Date.UTC(2026, 10, 23);
const DAY_MS = 24 * 3_600_000;
const found: OpenFinding = {
  ...{ id: Buffer.alloc(16), rule: 'status', code: 'E0038R', action: 'report' },
  ...{ enabled: true, refusedWith: null, from: undefined },
};

describe('what is found about a key', () => {
  it.each<[string, Partial<OpenFinding>, RegExp]>([
    ['reported', {}, /^It is only reported: nothing changes/],
    [
      'of a rule that holds for sign-ins already',
      { from: NOW - DAY_MS },
      /^It is only reported: n/,
    ],
    ['of a rule that will', { from: NOW + DAY_MS }, /^It is only reported until 2026-11-24 00:00/],
    ['refused', { action: 'refuse-next-sign-in', refusedWith: 'E0038R' }, /will be refused/],
    ['let in', { action: 'refuse-next-sign-in' }, /^Somebody has enabled/],
    ['off', { action: 'disable', refusedWith: 'E0038R', enabled: false }, /^The rule has disabled/],
    ['off by a person', { action: 'disable', enabled: false }, /^Somebody has disabled/],
  ])('is said to mean for its person: %s', (_, more, expected) => {
    expect(plainText('en', keyFinding({ ...found, ...more }, NOW).means)).toMatch(expected);
  });

  it.each([
    ['status', 'Status in the metadata'],
    ['fips', 'FIPS 140'],
    ['whitelist', 'Whitelist'],
    ['revoked', 'Revoked certificates'],
  ])('names the rule %s', (rule, label) => {
    expect(plainText('en', keyFinding({ ...found, rule }, NOW).rule)).toContain(label);
  });
});
