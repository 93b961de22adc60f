import {
  register,
  registrationBody,
  verifyBody,
} from '../../test/support/authenticator/ceremony.js';
import type { CborInput } from '../../packages/testing/src/cbor-writer.js';
import { failureOf } from '../../test/support/authenticator/failure-of.js';
import { ALG, createKeyPair, RS1 } from '../../packages/testing/src/key-pair.js';
import { createAttester } from '../../packages/testing/src/attester.js';
import { type Attestation } from '../../packages/testing/src/statements.js';
import { FLAGS, sha256 } from '../../packages/testing/src/structures.js';
import type { RegistrationTweaks } from '../../packages/testing/src/tweaks.js';
import type { Failure } from './failure.js';

const ATTESTATIONS: readonly Attestation[] = [
  'none',
  'packed-self',
  'packed',
  'fido-u2f',
  'android-key',
];
/** Types of the attestations without a certificate; the others are `basic`. */
const OTHER_TYPES: ReadonlyMap<Attestation, string> = new Map([
  ['none', 'none'],
  ['packed-self', 'self'],
]);
const ALGORITHMS = Object.entries(ALG).map(([name, algorithm]) => ({ name, algorithm }));

function refusal(tweaks: RegistrationTweaks): string | undefined {
  return failureOf(() => register({ tweaks }));
}

describe('verifyRegistration', () => {
  it.each(ATTESTATIONS)(
    'accepts a genuine registration with attestation %s (WebAuthn L3 §7.1 steps 21–22)',
    (attestation) => {
      const verified = register({ device: { attestation, backupEligible: true, backedUp: true } });
      expect(verified).toMatchObject({
        algorithm: ALG.ES256,
        signCount: 1,
        userVerified: true,
        backupEligible: true,
        backedUp: true,
        attestation: {
          format: attestation === 'packed-self' ? 'packed' : attestation,
          type: OTHER_TYPES.get(attestation) ?? 'basic',
        },
      });
    },
  );

  it.each(ALGORITHMS)('accepts $name credentials that attest themselves', ({ algorithm }) => {
    const verified = register({ device: { algorithm, attestation: 'packed-self' } });
    expect(verified.algorithm).toBe(algorithm);
  });

  it('returns the AAGUID as a UUID', () => {
    const aaguid = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
    expect(register({ device: { aaguid } }).aaguid).toBe('00112233-4455-6677-8899-aabbccddeeff');
  });

  it('returns authenticator extension outputs such as credProtect (WebAuthn L3 §7.1 step 28)', () => {
    const extensions = new Map<string, CborInput>([['credProtect', 2]]);
    expect(register({ tweaks: { extensions } }).extensions.get('credProtect')).toBe(2);
  });

  it.each<[string, Failure, RegistrationTweaks]>([
    [
      'the type of the other ceremony (WebAuthn L3 §7.1 step 7)',
      'client-data-type',
      { clientData: { type: 'webauthn.get' } },
    ],
    [
      'another challenge (WebAuthn L3 §7.1 step 8)',
      'challenge-mismatch',
      { clientData: { challenge: 'AAAA' } },
    ],
    [
      'http instead of https (WebAuthn L3 §7.1 step 9)',
      'origin-not-allowed',
      { clientData: { origin: 'http://example.com' } },
    ],
    [
      'crossOrigin where the policy does not allow it (WebAuthn L3 §7.1 step 10)',
      'cross-origin-not-allowed',
      { clientData: { crossOrigin: true } },
    ],
    ['token binding', 'token-binding-present', { clientData: { tokenBinding: null } }],
    [
      'the RP ID hash of another relying party (WebAuthn L3 §7.1 step 14)',
      'rp-id-hash-mismatch',
      { rpIdHash: sha256('example.org') },
    ],
    [
      'a user who was not present (WebAuthn L3 §7.1 step 15)',
      'user-not-present',
      { flags: (flags) => flags & ~FLAGS.UP },
    ],
    [
      'a backup state but no backup eligibility (WebAuthn L3 §7.1 step 17)',
      'backup-flags-inconsistent',
      { flags: (flags) => flags | FLAGS.BS },
    ],
    [
      'a credential ID in the authenticator data other than that of the response',
      'credential-id-mismatch',
      { attestedCredentialId: Buffer.of(1) },
    ],
  ])('refuses a registration with %s (%s)', (_title, failure, tweaks) => {
    expect(refusal(tweaks)).toBe(failure);
  });

  it('reports the first of several faults of a registration in the order of the specification', () => {
    const faults: readonly (readonly [Failure, RegistrationTweaks])[] = [
      ['client-data-type', { clientData: { type: 'webauthn.get' } }],
      ['credential-id-mismatch', { attestedCredentialId: Buffer.of(1) }],
      ['rp-id-hash-mismatch', { rpIdHash: sha256('example.org') }],
      ['user-not-present', { flags: (flags) => flags & ~FLAGS.UP }],
      ['key-not-acceptable', { coseKey: (key) => key.set(-2, Buffer.alloc(32)) }],
      ['attestation-format-unknown', { fmt: 'mock' }],
    ];
    const named = faults.map((_, index) => {
      const rest = faults.slice(index).map(([, tweaks]) => tweaks);
      return refusal(Object.assign({}, ...rest) as RegistrationTweaks);
    });
    expect(named).toEqual(faults.map(([failure]) => failure));
  });

  it('refuses a registration without user verification where it is required (WebAuthn L3 §7.1 step 16)', () => {
    const unverified = { device: { userVerified: false } };
    expect(failureOf(() => register(unverified))).toBeUndefined();
    const required = { ...unverified, expected: { userVerificationRequired: true } };
    expect(failureOf(() => register(required))).toBe('user-not-verified');
  });

  it('refuses a registration with an algorithm that was not offered (WebAuthn L3 §7.1 step 20)', () => {
    const offered = { device: { algorithm: ALG.RS256 }, expected: { algorithms: [ALG.ES256] } };
    expect(failureOf(() => register(offered))).toBe('algorithm-not-offered');
  });

  it('refuses a registration with expired certificates, to the second', () => {
    const from = new Date('2024-01-01T00:00:00Z');
    const to = new Date('2025-01-01T00:00:00Z');
    const aaguid = Buffer.alloc(16, 0xa1);
    const attester = createAttester(aaguid, { notBefore: from, notAfter: to });
    const device = { attestation: 'packed', aaguid, attester } as const;
    const at = (time: number) =>
      failureOf(() => register({ device, expected: { at: new Date(time) } }));
    expect(at(from.getTime())).toBeUndefined();
    expect(at(to.getTime())).toBeUndefined();
    expect(at(from.getTime() - 1000)).toBe('certificate-path');
    expect(at(to.getTime() + 1000)).toBe('certificate-path');
    expect(failureOf(() => register({ device }))).toBeUndefined();
  });

  it('accepts an RS1 credential only if RS1 was offered', () => {
    const device = { algorithm: RS1, attestation: 'packed-self' } as const;
    const algorithms = [ALG.ES256, RS1];
    expect(register({ device, expected: { algorithms } }).algorithm).toBe(RS1);
    expect(failureOf(() => register({ device }))).toBe('algorithm-not-offered');
  });

  it('checks the credential key also for the format none (WebAuthn L3 §7.1 step 20)', () => {
    expect(refusal({ coseKey: (key) => key.set(-2, Buffer.alloc(32)) })).toBe('key-not-acceptable');
    expect(refusal({ coseKey: (key) => key.set(3, 'ES256') })).toBe('key-not-acceptable');
  });

  it('ignores the statement if attestation is not requested, and returns the type none', () => {
    const device = { attestation: 'packed' } as const;
    const tweaks = { signingKey: createKeyPair(ALG.ES256) };
    expect(failureOf(() => register({ device, tweaks }))).toBe('attestation-signature');
    const unseen = register({ device, tweaks, expected: { verifyStatement: false } });
    expect(unseen.attestation).toEqual({ format: 'packed', type: 'none', trustPath: [] });
  });

  it('refuses client data changed after signing (WebAuthn L3 §7.1 step 12)', () => {
    const body = registrationBody({ device: { attestation: 'packed' } });
    const spaced = Buffer.from(body.response.clientDataJSON, 'base64url')
      .toString()
      .replace(',', ', ');
    const clientDataJSON = Buffer.from(spaced).toString('base64url');
    const changed = { ...body, response: { ...body.response, clientDataJSON } };
    expect(failureOf(() => verifyBody(changed))).toBe('attestation-signature');
  });
});
