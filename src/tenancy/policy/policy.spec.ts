import { sentenceOf } from '../../platform/errors/reasons.js';
import { createAuthority } from '../../../packages/testing/src/certificate-writer.js';
import { pemOf } from '../../../packages/testing/src/pem.js';
import { enforcedValue, policyProblem, readPolicy } from './policy.js';
import { rulesFor } from './rules-for.js';

const AAGUID = 'EE882879-721C-4913-9775-3DFCCE97072A';

const EVERY_PROFILE_RULE = {
  userVerification: 'required',
  residentKey: 'required',
  backupEligible: 'refused',
  algorithms: ['es256'],
  block: [AAGUID],
  allow: [AAGUID],
  formats: ['packed'],
  attestationTypes: ['basic'],
  certification: 'L1',
  certificationProfiles: ['enterprise'],
  fips: 'L1',
  fipsRevision: '140-3',
  fipsPhysicalSecurity: 'L1',
  keyProtection: ['tee'],
  matcherProtection: ['tee'],
  status: { REVOKED: 'warn' },
  trust: 'all',
  maxCredentials: 2,
  counter: 'disable',
  onFinding: 'disable',
  attestation: 'direct',
  aaguid: 'attested',
  minPinLength: 6,
};

describe('policyProblem', () => {
  it.each([
    {},
    { userVerification: 'required', registration: 'ticket', counter: 'warn' },
    { topOrigins: ['https://portal.example.com'] },
    { attestation: 'enterprise', aaguid: 'reported', residentKey: 'required' },
    { aaguid: 'attested' },
    { unknownUsers: 'pretend', callers: 'keys' },
    { onFinding: 'refuse-next-sign-in' },
    { trust: 'enforce' },
    { trust: { mode: 'report' } },
    { trust: 'known' },
    { trust: { mode: 'report', value: 'known' } },
    { trust: { mode: 'enforce', value: 'all' } },
    { formats: ['packed', 'tpm'] },
    { formats: { mode: 'report', list: ['none'] } },
    { algorithms: ['ES256', 'eddsa'] },
    { allow: [AAGUID], block: { mode: 'off', list: [AAGUID] } },
    { block: [AAGUID, AAGUID] },
    { backupEligible: 'refused' },
    { backupEligible: { mode: 'report', value: 'refused' } },
    { maxCredentials: 5 },
    { certification: 'L1plus', fips: { mode: 'report', value: 'L3' } },
    { keyProtection: ['tee', 'secure_element'], matcherProtection: { mode: 'off', list: ['tee'] } },
    { attestationTypes: ['basic', 'attca'] },
    { maxCredentials: { mode: 'enforce', value: 1 } },
    { minPinLength: 4 },
    { minPinLength: { mode: 'report', value: 63 } },
    { counter: { mode: 'report', value: 'disable' } },
    { status: { REVOKED: 'warn' } },
    { status: { mode: 'off' } },
    { anchors: [pemOf(createAuthority('Example Root').certificate)] },
    { profiles: [] },
    { profiles: [{ name: 'Administrators', group: 'admins', rules: EVERY_PROFILE_RULE }] },
    { profiles: profilesOf(20) },
    { profiles: [profile({}), { ...profile({}), name: 'the same group again' }] },
  ])('accepts the policy %j', (policy) => {
    expect(policyProblem(policy)).toBeUndefined();
  });

  it.each([
    [[], '"policy" must be an object'],
    [{ passwords: 'never' }, '"policy" has no member "passwords", only these: registration, '],
    [{ __proto__: null, constructor: 1 }, '"policy" has no member "constructor", only these: '],
    [{ userVerification: 'always' }, '"policy.userVerification" must be one of required'],
    [{ userVerification: { mode: 'report' } }, '"policy.userVerification"'],
    [{ userVerification: { mode: 'maybe', value: 'required' } }, '"policy.userVerification"'],
    [{ userVerification: { mode: 'report', value: 'required', x: 1 } }, '"policy.userVer'],
    [{ trust: true }, '"policy.trust" must be one of known, all, '],
    [{ trust: { mode: 'report', value: 'some' } }, '"policy.trust" must be one of known, all, '],
    [{ trust: { value: 'all' } }, '"policy.trust" must be one of known, all, '],
    [{ formats: [] }, '"policy.formats" must be an array of 1 to '],
    [{ formats: ['toString'] }, '"policy.formats"'],
    [{ formats: { mode: 'enforce', value: ['packed'] } }, '"policy.formats"'],
    [{ algorithms: ['rs1'] }, '"policy.algorithms"'],
    [{ allow: ['ee882879721c491397753dfcce97072a'] }, '"policy.allow"'],
    [{ backupEligible: false }, '"policy.backupEligible"'],
    [{ onFinding: 'delete' }, '"policy.onFinding" must be one of report, disable'],
    [{ unknownUsers: 'tell' }, '"policy.unknownUsers" must be one of refuse, pretend'],
    [{ unknownUsers: { mode: 'report', value: 'pretend' } }, '"policy.unknownUsers"'],
    [{ certification: 'L4' }, '"policy.certification" must be one of L1, L1plus, L2'],
    [{ fips: 2 }, '"policy.fips" must be one of L1, L2, L3, L4'],
    [{ keyProtection: [] }, '"policy.keyProtection" must be an array of 1 to 5 of software, '],
    [{ matcherProtection: ['chip'] }, '"policy.matcherProtection"'],
    [{ attestationTypes: 'basic' }, '"policy.attestationTypes"'],
    [{ maxCredentials: 0 }, '"policy.maxCredentials" must be a whole number from 1 to 100'],
    [{ maxCredentials: 101 }, '"policy.maxCredentials"'],
    [{ maxCredentials: '5' }, '"policy.maxCredentials"'],
    [{ minPinLength: 3 }, '"policy.minPinLength" must be a whole number from 4 to 63'],
    [{ minPinLength: 64 }, '"policy.minPinLength"'],
    [{ minPinLength: { mode: 'enforce', value: 6.5 } }, '"policy.minPinLength"'],
    [{ status: { REVOKD: 'warn' } }, '"policy.status"'],
    [{ status: { REVOKED: 'enforce' } }, '"policy.status"'],
    [{ status: { constructor: 'warn' } }, '"policy.status"'],
    [{ status: { REVOKED: 'warn', when: 'both', from: '2027-02-30' } }, '"policy.status"'],
    [{ trust: { mode: 'enforce', when: 'both', from: '2027-1-1' } }, '"policy.trust"'],
    [{ anchors: ['no certificate'] }, '"policy.anchors"'],
    [{ profiles: {} }, '"policy.profiles" must be an array of at most 20 profiles'],
    [{ profiles: profilesOf(21) }, '"policy.profiles" must be'],
    [{ profiles: [profile({}), profile({})] }, '"policy.profiles" must be'],
    [{ profiles: [{ name: 'A', group: 'a' }] }, '"policy.profiles" must be'],
    [
      { profiles: [profile({}), { ...profile({}), groups: ['a'] }] },
      '"policy.profiles[1]" has no member "groups", only these: name, group, rules',
    ],
    [{ profiles: [{ ...profile({}), group: '' }] }, '"policy.profiles" must be'],
    [{ profiles: [{ ...profile({}), group: 'x'.repeat(256) }] }, '"policy.profiles" must be'],
    [{ profiles: [{ ...profile({}), name: 7 }] }, '"policy.profiles" must be'],
    [{ profiles: [{ ...profile({}), rules: [] }] }, '"policy.profiles'],
    [
      { profiles: [profile({ formats: ['gold'] })] },
      '"policy.profiles[0].rules.formats" must be an array of 1 to ',
    ],
    ...rulesOutsideProfiles().map((rules): [object, string] => [
      { profiles: [profile({ trust: 'all' }), { ...profile(rules), name: 'B' }] },
      `"policy.profiles[1].rules" has no member "${Object.keys(rules)[0]}", only these: userVerification, `,
    ]),
    [{ anchors: [pemOf(Buffer.from('no certificate'))] }, '"policy.anchors"'],
  ])('refuses the policy %j', (policy, sentence) => {
    const found = policyProblem(policy);
    expect(found && sentenceOf(found)).toContain(sentence);
  });
});

describe('readPolicy', () => {
  it('enforces a policy rule that is a plain value', () => {
    expect(readPolicy({ userVerification: 'required' }).userVerification).toEqual({
      mode: 'enforce',
      value: 'required',
    });
  });

  it.each([
    [undefined, { mode: 'enforce', value: 'known' }],
    ['known', { mode: 'enforce', value: 'known' }],
    ['all', { mode: 'enforce', value: 'all' }],
    ['enforce', { mode: 'enforce', value: 'all' }],
    ['report', { mode: 'report', value: 'all' }],
    [{ mode: 'report' }, { mode: 'report', value: 'all' }],
    [
      { mode: 'report', value: 'known' },
      { mode: 'report', value: 'known' },
    ],
    ['off', undefined],
    [{ mode: 'off', value: 'known' }, undefined],
  ] as const)('reads the trust rule %j as %j', (trust, rule) => {
    expect(readPolicy(trust === undefined ? {} : { trust }).trust).toEqual(rule);
  });

  it('omits a policy rule that is off or empty', () => {
    const { trust, formats, backupEligible, userVerification } = readPolicy({
      trust: { mode: 'off' },
      formats: { mode: 'off', list: ['packed'] },
      backupEligible: 'allowed',
    });
    expect([trust, formats, backupEligible, userVerification]).toEqual(Array(4).fill(undefined));
  });

  it('returns AAGUIDs in lower case, algorithms as numbers and anchors as DER', () => {
    const { certificate } = createAuthority('Example Root');
    const policy = readPolicy({
      allow: [AAGUID],
      algorithms: ['ES256', 'rs256', 'not-in-this-runtime'],
      anchors: [pemOf(certificate) + pemOf(certificate)],
    });
    expect(enforcedValue(policy.allow)).toEqual([AAGUID.toLowerCase()]);
    expect(enforcedValue(policy.algorithms)).toEqual([-7, -257]);
    expect(policy.anchors).toEqual([certificate, certificate]);
  });

  it.each([
    [undefined, 'reject'],
    ['disable', 'disable'],
    [{ mode: 'report', value: 'disable' }, 'warn'],
    [{ mode: 'enforce', value: 'disable' }, 'disable'],
    [{ mode: 'off', value: 'reject' }, 'off'],
  ] as const)('reads the counter rule %j as %s', (counter, meaning) => {
    expect(readPolicy(counter === undefined ? {} : { counter }).counter).toBe(meaning);
  });

  it('uses the default status checks when the policy contains none', () => {
    expect(readPolicy({}).status).toEqual({ mode: 'enforce', value: {} });
    expect(readPolicy({ status: { mode: 'report', REVOKED: 'warn' } }).status).toEqual({
      mode: 'report',
      value: { REVOKED: 'warn' },
    });
    expect(readPolicy({ status: { mode: 'off' } }).status).toBeUndefined();
  });
});

describe('rulesFor', () => {
  const policy = readPolicy({
    userVerification: 'discouraged',
    trust: 'off',
    formats: ['packed'],
    topOrigins: ['https://portal.example'],
    profiles: [
      {
        name: 'Both',
        group: 'Zu\u0308rich',
        rules: { trust: 'all', formats: { mode: 'off', list: ['tpm'] } },
      },
      { name: 'Staff', group: 'staff', rules: { userVerification: 'required' } },
      { name: 'Late', group: 'staff', rules: { trust: 'known' } },
    ],
  });
  const rulesOf = (...groups: readonly string[]) => rulesFor({ policy }, groups).policy;

  it('applies the policy itself to users without a profile', () => {
    expect(rulesOf()).toBe(policy);
    expect(rulesOf('Staff', 'other')).toBe(policy);
  });

  it('applies the first profile whose group the user has, in any order of the groups', () => {
    const first = { trust: { value: 'all' }, userVerification: { value: 'discouraged' } };
    expect(rulesOf('staff', 'Zürich')).toMatchObject(first);
    expect(rulesOf('Zürich', 'staff')).toMatchObject(first);
    expect(rulesOf('staff')).toMatchObject({ userVerification: { value: 'required' } });
    expect(rulesOf('staff').trust).toBeUndefined();
  });

  it('replaces rules of the policy by weaker ones, and keeps members that no profile can replace', () => {
    expect(rulesOf('Zürich').formats).toBeUndefined();
    expect(rulesOf('Zürich').topOrigins).toEqual(['https://portal.example']);
  });

  it('collects the days on which rules of any profile begin to apply to sign-ins', () => {
    const from = (day: string) =>
      ({ mode: 'enforce', list: ['tpm'], when: 'both', from: day }) as const;
    const both = readPolicy({
      formats: from('2030-01-01'),
      profiles: [{ name: 'A', group: 'a', rules: { formats: from('2031-01-01') } }],
    });
    expect(both.phases).toEqual([Date.UTC(2030, 0), Date.UTC(2031, 0)]);
    expect(rulesFor({ policy: both }, ['a']).policy.phases).toEqual([Date.UTC(2031, 0)]);
  });
});

function profilesOf(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    ...profile({}),
    name: `${n}`,
    group: `g${n}`,
  }));
}

function profile(rules: object) {
  return { name: 'A', group: 'a', rules };
}

function rulesOutsideProfiles(): readonly object[] {
  return [
    { registration: 'ticket' },
    { callers: 'keys' },
    { unknownUsers: 'refuse' },
    { usernames: 'exact' },
    { secondOpinion: 'report' },
    { audiences: [] },
    { topOrigins: [] },
    { anchors: [] },
    { profiles: [] },
    { constructor: 1 },
  ];
}
