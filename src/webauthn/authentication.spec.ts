import { type AuthenticationCase, signIn } from '../../test/support/authenticator/ceremony.js';
import { failureOf } from '../../test/support/authenticator/failure-of.js';
import { ALG, createKeyPair } from '../../packages/testing/src/key-pair.js';
import { FLAGS, sha256 } from '../../packages/testing/src/structures.js';
import { counterIncreased } from './authentication.js';
import type { Failure } from './failure.js';

const refusal = (test: AuthenticationCase) => failureOf(() => signIn(test));

describe('verifyAuthentication', () => {
  it.each(Object.entries(ALG))('accepts a genuine %s assertion', (_name, algorithm) => {
    expect(signIn({ device: { algorithm } })).toEqual({
      signCount: 2,
      userVerified: true,
      backupEligible: false,
      backedUp: false,
    });
  });

  it('reports that a credential has been backed up since its registration (WebAuthn L3 §7.2 step 19)', () => {
    const device = { backupEligible: true };
    const backedUp = signIn({ device, tweaks: { flags: (flags) => flags | FLAGS.BS } });
    expect(backedUp).toMatchObject({ backupEligible: true, backedUp: true });
  });

  it.each<[string, Failure, AuthenticationCase]>([
    [
      'the type of the other ceremony (WebAuthn L3 §7.2 step 10)',
      'client-data-type',
      { tweaks: { clientData: { type: 'webauthn.create' } } },
    ],
    [
      'the RP ID hash of another relying party (WebAuthn L3 §7.2 step 15)',
      'rp-id-hash-mismatch',
      { tweaks: { rpIdHash: sha256('EXAMPLE.COM') } },
    ],
    [
      'a user who was not present (WebAuthn L3 §7.2 step 16)',
      'user-not-present',
      { tweaks: { flags: (flags) => flags & ~FLAGS.UP } },
    ],
    [
      'an unverified user where verification is required (WebAuthn L3 §7.2 step 17)',
      'user-not-verified',
      { device: { userVerified: false }, userVerificationRequired: true },
    ],
    [
      'a backup state but no backup eligibility (WebAuthn L3 §7.2 step 18)',
      'backup-flags-inconsistent',
      { tweaks: { flags: (flags) => flags | FLAGS.BS } },
    ],
    [
      'backup eligibility that the registration lacked (WebAuthn L3 §7.2 step 19)',
      'backup-eligibility-changed',
      { tweaks: { flags: (flags) => flags | FLAGS.BE } },
    ],
    [
      'backup eligibility missing, unlike the registration',
      'backup-eligibility-changed',
      { storedBackupEligible: true },
    ],
    [
      'a signature by the key of another credential (WebAuthn L3 §7.2 step 21)',
      'signature-invalid',
      { tweaks: { signingKey: createKeyPair(ALG.ES256) } },
    ],
    [
      'a byte behind the signature',
      'signature-invalid',
      { tweaks: { signature: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) } },
    ],
    [
      'a signature of r = 0 and s = 0',
      'signature-invalid',
      { tweaks: { signature: () => Buffer.from('3006020100020100', 'hex') } },
    ],
    [
      'a signature of r and s without DER',
      'signature-invalid',
      { tweaks: { signature: () => Buffer.alloc(64, 1) } },
    ],
    [
      'a signature of 64 KB',
      'signature-invalid',
      { tweaks: { signature: () => Buffer.alloc(65_536, 0x30) } },
    ],
    [
      'truncated authenticator data',
      'authenticator-data-malformed',
      { tweaks: { authenticatorData: (bytes) => bytes.subarray(1) } },
    ],
  ])('refuses an assertion with %s (%s)', (_title, failure, test) => {
    expect(refusal(test)).toBe(failure);
  });

  it.each([ALG.ES256, ALG.EdDSA, ALG.RS256])(
    'refuses a signature with a flipped bit in any part (algorithm %d, WebAuthn L3 §7.2 steps 20–21)',
    (algorithm) => {
      const failures = [0, 1, 9, 33, 40, 63].map((at) => {
        const signature = (bytes: Buffer) => {
          bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
          return bytes;
        };
        return refusal({ device: { algorithm }, tweaks: { signature } });
      });
      expect(new Set(failures)).toEqual(new Set(['signature-invalid']));
    },
  );
});

describe('the order of verifyAuthentication’s steps', () => {
  const wrongRp = { rpIdHash: sha256('example.org') };
  const absent = { flags: (flags: number) => flags & ~FLAGS.UP };
  const forged = { signingKey: createKeyPair(ALG.ES256) };

  it('reports the first fault of an assertion in the order of the specification (WebAuthn L3 §7.2 steps 15–21)', () => {
    const named = [{ ...wrongRp, ...absent, ...forged }, { ...absent, ...forged }, forged].map(
      (tweaks) => refusal({ tweaks }),
    );
    expect(named).toEqual(['rp-id-hash-mismatch', 'user-not-present', 'signature-invalid']);
  });
});

describe('counterIncreased (WebAuthn L3 §7.2 step 22)', () => {
  it.each([
    [0, 0, true],
    [0, 1, true],
    [5, 6, true],
    [5, 5 + 2 ** 31, true],
    [5, 5, false],
    [5, 4, false],
    [5, 0, false],
    [0xffffffff, 0, false],
    [0xffffffff, 1, false],
  ])('reports whether the counter increased from %d to %d: %s', (stored, next, increased) => {
    expect(counterIncreased(stored, next)).toBe(increased);
  });
});
