import { type AuthenticationCase, signIn } from '../../test/support/authenticator/ceremony.js';
import { failureOf } from '../../test/support/authenticator/failure-of.js';
import { ALG, createKeyPair } from '../../test/support/authenticator/key-pair.js';
import { FLAGS, sha256 } from '../../test/support/authenticator/structures.js';
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

  it('reports that a credential has been backed up since (D11)', () => {
    const device = { backupEligible: true };
    const backedUp = signIn({ device, tweaks: { flags: (flags) => flags | FLAGS.BS } });
    expect(backedUp).toMatchObject({ backupEligible: true, backedUp: true });
  });

  it.each<[string, Failure, AuthenticationCase]>([
    [
      'type of the other ceremony (C09)',
      'client-data-type',
      { tweaks: { clientData: { type: 'webauthn.create' } } },
    ],
    [
      'RP ID hash of another RP (D03)',
      'rp-id-hash-mismatch',
      { tweaks: { rpIdHash: sha256('EXAMPLE.COM') } },
    ],
    [
      'user not present (D05)',
      'user-not-present',
      { tweaks: { flags: (flags) => flags & ~FLAGS.UP } },
    ],
    [
      'user not verified (D06)',
      'user-not-verified',
      { device: { userVerified: false }, userVerificationRequired: true },
    ],
    [
      'backed up but not eligible (D09)',
      'backup-flags-inconsistent',
      { tweaks: { flags: (flags) => flags | FLAGS.BS } },
    ],
    [
      'eligible now, not at registration (D10)',
      'backup-eligibility-changed',
      { tweaks: { flags: (flags) => flags | FLAGS.BE } },
    ],
    [
      'eligible at registration, not now (D10)',
      'backup-eligibility-changed',
      { backupEligible: true },
    ],
    [
      'the key of another credential (S03)',
      'signature-invalid',
      { tweaks: { signingKey: createKeyPair(ALG.ES256) } },
    ],
    [
      'a byte behind the signature (S04)',
      'signature-invalid',
      { tweaks: { signature: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) } },
    ],
    [
      'r = 0, s = 0 (S07)',
      'signature-invalid',
      { tweaks: { signature: () => Buffer.from('3006020100020100', 'hex') } },
    ],
    [
      'r and s without DER (S09)',
      'signature-invalid',
      { tweaks: { signature: () => Buffer.alloc(64, 1) } },
    ],
    [
      '64 KB (S10)',
      'signature-invalid',
      { tweaks: { signature: () => Buffer.alloc(65_536, 0x30) } },
    ],
    [
      'authenticator data cut (D36)',
      'authenticator-data-malformed',
      { tweaks: { authenticatorData: (bytes) => bytes.subarray(1) } },
    ],
  ])('%s is refused: %s', (_title, failure, test) => {
    expect(refusal(test)).toBe(failure);
  });

  it.each([ALG.ES256, ALG.EdDSA, ALG.RS256])(
    'refuses any flipped bit of a signature (%d) (S01)',
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

describe('verifyAuthentication with several faults', () => {
  const wrongRp = { rpIdHash: sha256('example.org') };
  const absent = { flags: (flags: number) => flags & ~FLAGS.UP };
  const forged = { signingKey: createKeyPair(ALG.ES256) };

  it('§7.2 steps 15–21: reports the first fault in the order of the steps', () => {
    const named = [{ ...wrongRp, ...absent, ...forged }, { ...absent, ...forged }, forged].map(
      (tweaks) => refusal({ tweaks }),
    );
    expect(named).toEqual(['rp-id-hash-mismatch', 'user-not-present', 'signature-invalid']);
  });
});

describe('§7.2 step 22: signCount', () => {
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
  ])('stored %d, now %d: %s', (stored, next, increased) => {
    expect(counterIncreased(stored, next)).toBe(increased);
  });
});
