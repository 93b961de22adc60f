import { register } from '../../../test/support/authenticator/ceremony.js';
import type { CborInput } from '../../../packages/testing/src/cbor-writer.js';
import { writeCertificate } from '../../../packages/testing/src/certificate-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import { ALG, createKeyPair, rawPoint, signWith } from '../../../packages/testing/src/key-pair.js';
import {
  attestationRoot,
  type Attester,
  createAttester,
} from '../../../packages/testing/src/attester.js';
import { STATEMENTS, type StatementWriter } from '../../../packages/testing/src/statements.js';
import type { RegistrationTweaks } from '../../../packages/testing/src/tweaks.js';
import type { Failure } from '../failure.js';

const NO_AAGUID = Buffer.alloc(16);

function refusal(tweaks: RegistrationTweaks, attester?: Attester): string | undefined {
  const device = {
    attestation: 'fido-u2f',
    ...(attester === undefined ? {} : { attester }),
  } as const;
  return failureOf(() => register({ device, tweaks }));
}

function attesterOf(alg: number): Attester {
  const keyPair = createKeyPair(alg);
  const issuer = attestationRoot();
  const certificate = writeCertificate({
    subject: issuer.name,
    publicKey: keyPair.publicKey,
    issuer,
  });
  return { keyPair, x5c: [certificate] };
}

const member = (key: string, value: CborInput) => ({
  statement: (statement: Map<string, CborInput>) => statement.set(key, value),
});

describe('fido-u2f attestation (WebAuthn L3 §8.6)', () => {
  it('accepts a plain certificate, because U2F has no rules for its names', () => {
    expect(refusal({}, attesterOf(ALG.ES256))).toBeUndefined();
  });

  it('refuses a fido-u2f statement with a non-zero AAGUID', () => {
    expect(refusal({ aaguid: Buffer.alloc(16, 1) })).toBe('u2f-aaguid-not-zero');
  });

  const attester = createAttester(NO_AAGUID);
  const [leaf = Buffer.alloc(0)] = attester.x5c;
  it.each<[string, Failure, RegistrationTweaks]>([
    ['x5c empty', 'attestation-malformed', member('x5c', [])],
    ['x5c null', 'attestation-malformed', member('x5c', null)],
    ['two certificates', 'attestation-malformed', member('x5c', [leaf, leaf])],
    ['a certificate as text', 'attestation-malformed', member('x5c', ['x'])],
    ['a bad certificate', 'attestation-certificate', member('x5c', [leaf.subarray(1)])],
    ['sig null', 'attestation-malformed', member('sig', null)],
    ['sig as text', 'attestation-malformed', member('sig', 'x')],
    ['sig empty', 'attestation-malformed', member('sig', Buffer.alloc(0))],
    ['sig not DER', 'attestation-signature', member('sig', Buffer.alloc(64, 1))],
    ['a member of another format', 'attestation-malformed', member('alg', ALG.ES256)],
    [
      'a signature of another key',
      'attestation-signature',
      { signingKey: createKeyPair(ALG.ES256) },
    ],
  ])('refuses a fido-u2f statement with %s (%s)', (_title, failure, tweaks) => {
    expect(refusal(tweaks, attester)).toBe(failure);
  });

  it.each([ALG.ES384, ALG.ES256K, ALG.RS256])(
    'refuses a fido-u2f certificate with a key of algorithm %d',
    (alg) => {
      expect(refusal({}, attesterOf(alg))).toBe('attestation-certificate');
    },
  );

  it('refuses fido-u2f for a credential whose algorithm is not ES256', () => {
    const device = { attestation: 'fido-u2f', algorithm: ALG.ES384 } as const;
    expect(failureOf(() => register({ device }))).toBe('attestation-algorithm');
  });

  it('refuses a fido-u2f signature over the data in packed order', () => {
    const packed = {
      device: { attestation: 'packed', aaguid: NO_AAGUID, attester },
      tweaks: { fmt: 'fido-u2f' },
    } as const;
    const statement = (map: Map<string, CborInput>) => {
      map.delete('alg');
      return map;
    };
    const relabelled = { ...packed, tweaks: { ...packed.tweaks, statement } };
    expect(failureOf(() => register(relabelled))).toBe('attestation-signature');
  });

  it('refuses a fido-u2f signature over data without the leading zero byte', () => {
    const attestation: StatementWriter = (input) => {
      const { rpIdHash, clientDataHash, credentialId, keyPair } = input;
      const signed = [rpIdHash, clientDataHash, credentialId, rawPoint(keyPair)];
      const sig = signWith(input.attester.keyPair, Buffer.concat(signed));
      const { fmt, attStmt } = STATEMENTS['fido-u2f'](input);
      return { fmt, attStmt: attStmt.set('sig', sig) };
    };
    const device = { attestation, aaguid: NO_AAGUID };
    expect(failureOf(() => register({ device }))).toBe('attestation-signature');
  });

  it('accepts the UV and BE flags with fido-u2f, which a bridge may set', () => {
    const device = { attestation: 'fido-u2f', userVerified: true, backupEligible: true } as const;
    expect(failureOf(() => register({ device }))).toBeUndefined();
  });
});
