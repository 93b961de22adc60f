import { readPolicy, type RelyingPartyPolicy } from '../tenancy/policy/policy.js';
import { readEntry } from '../webauthn/metadata/metadata-statement.js';
import { blobEntry } from '../../packages/testing/src/blob-writer.js';
import { problem } from '../platform/errors/reasons.js';
import { breachesOf } from './policy-evaluation.js';
import type { RegistrationFacts } from './rule.js';

const AAGUID = '50d00000-0000-4000-8000-000000000003';
const ENTRY = readEntry(
  blobEntry(
    AAGUID,
    { keyProtection: ['hardware', 'secure_element'], matcherProtection: ['on_chip'] },
    {
      statusReports: [
        { status: 'FIDO_CERTIFIED_L2', certificationProfiles: ['enterprise'] },
        { status: 'FIPS140_CERTIFIED_L1', fipsRevision: 2, fipsPhysicalSecurityLevel: 3 },
      ],
    },
  ),
);
const KEY: RegistrationFacts = {
  aaguid: AAGUID,
  aaguidCounts: true,
  listed: undefined,
  unproved: false,
  format: 'packed',
  attestationTypes: ['basic'],
  algorithm: -7,
  userVerified: true,
  backupEligible: false,
  residentKey: undefined,
  minPinLength: 6,
  trust: 'trusted',
  disowned: false,
  status: { verdict: 'accept', status: undefined },
  revoked: false,
  credentials: 0,
  entry: ENTRY,
  at: new Date('2026-06-01T12:00:00Z'),
};

const brokenBy = (policy: RelyingPartyPolicy, key = KEY) =>
  breachesOf(readPolicy(policy), key).map(({ rule, code }) => `${rule} ${code}`);

describe('the policy rule minPinLength', () => {
  it.each([
    ['accepts a PIN length of at least the rule', 6, []],
    ['refuses a shorter PIN', 5, ['minPinLength E0038R']],
    ['refuses an authenticator that reports no PIN length', 0, ['minPinLength E0038R']],
    ['accepts a key of which no extension outputs are stored', undefined, []],
  ])('the rule minPinLength %s', (_, minPinLength, broken) => {
    expect(brokenBy({ minPinLength: 6 }, { ...KEY, minPinLength })).toEqual(broken);
  });
});

describe('the policy rules about models', () => {
  it.each<[string, RelyingPartyPolicy, RelyingPartyPolicy]>([
    ['attestationTypes', { attestationTypes: ['basic'] }, { attestationTypes: ['attca', 'none'] }],
    ['certification', { certification: 'L2' }, { certification: 'L2plus' }],
    [
      'certificationProfiles',
      { certificationProfiles: ['consumer', 'enterprise'] },
      { certificationProfiles: ['consumer'] },
    ],
    ['fips', { fips: 'L1' }, { fips: 'L2' }],
    ['fipsRevision', { fipsRevision: '140-2' }, { fipsRevision: '140-3' }],
    ['fipsPhysicalSecurity', { fipsPhysicalSecurity: 'L3' }, { fipsPhysicalSecurity: 'L4' }],
    ['keyProtection', { keyProtection: ['tee', 'secure_element'] }, { keyProtection: ['tee'] }],
    ['matcherProtection', { matcherProtection: ['on_chip'] }, { matcherProtection: ['tee'] }],
  ])(
    'the rule %s accepts a model that satisfies it and refuses one that breaks it (E0038R)',
    (rule, kept, broken) => {
      expect(brokenBy(kept)).toEqual([]);
      expect(brokenBy(broken)).toEqual([`${rule} E0038R`]);
    },
  );

  it('rules about models have modes like other rules', () => {
    const modesBy = (policy: RelyingPartyPolicy) =>
      breachesOf(readPolicy(policy), KEY).map(({ mode, signInsFrom }) => [mode, signInsFrom]);
    const level = { value: 'L3plus' } as const;
    expect(modesBy({ certification: { mode: 'report', ...level } })).toEqual([
      ['report', undefined],
    ]);
    expect(modesBy({ certification: { mode: 'off', ...level } })).toEqual([]);
    const both = { mode: 'enforce', when: 'both', from: '2027-01-01' } as const;
    const from = Date.parse('2027-01-01');
    expect(modesBy({ certification: { ...both, ...level } })).toEqual([['enforce', from]]);
    expect(readPolicy({ fips: { ...both, value: 'L1' } }).phases).toEqual([from]);
  });

  it.each<[string, Partial<RegistrationFacts>]>([
    ['that the metadata does not know', { entry: undefined }],
    ['that nothing proves', { aaguidCounts: false }],
    ['whose statement states nothing', { entry: { statement: undefined, statusReports: [] } }],
  ])('a model %s fails every metadata rule', (_, change) => {
    const policy: RelyingPartyPolicy = {
      certification: 'L1',
      certificationProfiles: ['enterprise'],
      fips: 'L1',
      fipsRevision: '140-2',
      fipsPhysicalSecurity: 'L1',
      keyProtection: ['hardware'],
      matcherProtection: ['software', 'tee', 'on_chip'],
    };
    expect(brokenBy(policy)).toEqual([]);
    expect(brokenBy(policy, { ...KEY, ...change })).toEqual([
      'certification E0038R',
      'certificationProfiles E0038R',
      'fips E0038R',
      'fipsRevision E0038R',
      'fipsPhysicalSecurity E0038R',
      'keyProtection E0038R',
      'matcherProtection E0038R',
    ]);
  });

  it('gives the name of the rule as the reason where the rule has no reason of its own', () => {
    const [breach] = breachesOf(readPolicy({ keyProtection: ['tee'] }), KEY);
    expect(breach?.problem).toEqual(problem('rule.broken', { rule: 'keyProtection' }));
  });

  it('requires an allowed type from every statement of a compound attestation', () => {
    const key: RegistrationFacts = { ...KEY, attestationTypes: ['basic', 'self'] };
    expect(brokenBy({ attestationTypes: ['basic'] }, key)).toEqual(['attestationTypes E0038R']);
    expect(brokenBy({ attestationTypes: ['basic', 'self'] }, key)).toEqual([]);
  });
});
