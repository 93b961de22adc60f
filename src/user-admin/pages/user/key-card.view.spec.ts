import { plainText } from '../../../platform/pages/languages/languages.js';
import type { OpenFinding } from '../../../trust/findings/key-findings.js';
import { keyFinding } from './key-card.view.js';

const DAY = Date.UTC(2026, 10, 24);
const found: OpenFinding = {
  id: Buffer.alloc(16),
  rule: 'status',
  code: 'E0038R',
  action: 'report',
  enabled: true,
  disablingJson: null,
  disabledByRule: null,
  acceptedBy: null,
  refusedWith: null,
  from: undefined,
};
const RULE = { action: 'disable', disabledByRule: 'status' } as const;

describe('a finding about a key', () => {
  it.each<[string, Partial<OpenFinding>, RegExp]>([
    ['is only reported', {}, /^It is only reported: nothing changes/],
    [
      'belongs to a rule that will apply later',
      { from: DAY },
      /^It is only reported until 2026-11-24 00:00/,
    ],
    [
      'refuses sign-ins',
      { action: 'refuse-next-sign-in', refusedWith: 'E0038R' },
      /will be refused/,
    ],
    ['an unknown account has accepted', { action: 'refuse-next-sign-in' }, /^Somebody has enabled/],
    ['an account has accepted', { ...RULE, acceptedBy: 'anna' }, /anna.* has enabled/],
    ['was accepted under an earlier version', { ...RULE, acceptedBy: '' }, /^Somebody has enabled/],
    ['has disabled the key', { ...RULE, enabled: false }, /^The rule has disabled the key: /],
    [
      'has disabled a key that an account has disabled too',
      { ...RULE, enabled: false, disablingJson: '{}' },
      /^The rule has disabled the key too\./,
    ],
  ])('explains the meaning of a finding that %s', (_, more, expected) => {
    expect(plainText('en', keyFinding({ ...found, ...more }).means)).toMatch(expected);
  });

  it.each([
    ['status', 'Status in the metadata'],
    ['fips', 'FIPS 140'],
    ['whitelist', 'Whitelist'],
    ['revoked', 'Revoked certificates'],
  ])('names the rule %s of a finding', (rule, label) => {
    expect(plainText('en', keyFinding({ ...found, rule }).rule)).toContain(label);
  });
});
