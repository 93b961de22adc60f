import { createAttestedKey } from '../../../test/support/authenticator/attested-key.js';
import type { CborInput } from '../../../packages/testing/src/cbor-writer.js';
import {
  basicConstraints,
  type CertificateParts,
  type Extension,
  name,
  OID,
  writeCertificate,
} from '../../../packages/testing/src/certificate-writer.js';
import * as der from '../../../packages/testing/src/der-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import { ALG, createKeyPair } from '../../../packages/testing/src/key-pair.js';
import { attestationRoot } from '../../../packages/testing/src/attester.js';
import { sha256 } from '../../../packages/testing/src/structures.js';
import type { Failure } from '../failure.js';
import { verifyApple } from './apple.js';

const SUBJECT = createAttestedKey();
const NONCE = sha256(Buffer.concat([SUBJECT.authData, SUBJECT.clientDataHash]));

const extension = (value: Buffer): Extension => ({ id: '1.2.840.113635.100.8.2', value });
const nonceExtension = (nonce: Buffer) =>
  extension(der.sequence(der.explicit(1, der.octetString(nonce))));

/** A certificate that is valid except for the given parts. */
function certificate(parts: Partial<CertificateParts> = {}): Buffer {
  return writeCertificate({
    subject: name([[OID.commonName, 'Credential']]),
    issuer: attestationRoot(),
    publicKey: SUBJECT.keyPair.publicKey,
    extensions: [basicConstraints(false), nonceExtension(NONCE)],
    ...parts,
  });
}

const PROPER = certificate();

function refusal(members: Readonly<Record<string, CborInput>>): string | undefined {
  return failureOf(() => verifyApple(SUBJECT.input(new Map(Object.entries(members)))));
}

describe('apple attestation (WebAuthn L3 §8.8)', () => {
  it('accepts an apple certificate of the key and the ceremony and returns its path', () => {
    const root = attestationRoot().certificate;
    expect(verifyApple(SUBJECT.input(new Map([['x5c', [PROPER, root]]])))).toEqual({
      type: 'anonca',
      trustPath: [PROPER, root],
    });
  });

  it('accepts the alg in statements of early Apple devices if it matches the key', () => {
    expect(refusal({ alg: ALG.ES256, x5c: [PROPER] })).toBeUndefined();
  });

  it.each<[string, Failure, Readonly<Record<string, CborInput>>]>([
    ['x5c missing', 'attestation-malformed', {}],
    ['x5c not an array', 'attestation-malformed', { x5c: PROPER }],
    ['x5c empty', 'attestation-malformed', { x5c: [] }],
    ['a certificate as text', 'attestation-malformed', { x5c: ['x'] }],
    ['an empty certificate', 'attestation-certificate', { x5c: [Buffer.alloc(0)] }],
    [
      'an intermediate that is not a certificate',
      'attestation-certificate',
      { x5c: [PROPER, Buffer.of(1)] },
    ],
    ['a member of another format', 'attestation-malformed', { x5c: [PROPER], sig: Buffer.of(1) }],
    ['alg of another key', 'attestation-algorithm', { alg: ALG.RS256, x5c: [PROPER] }],
    ['alg as text', 'attestation-malformed', { alg: 'ES256', x5c: [PROPER] }],
  ])('refuses an apple statement with %s (%s)', (_title, failure, members) => {
    expect(refusal(members)).toBe(failure);
  });

  it('refuses an apple statement that is not a map', () => {
    expect(failureOf(() => verifyApple(SUBJECT.input([PROPER])))).toBe('attestation-malformed');
  });

  it.each<[string, Failure, Partial<CertificateParts>]>([
    ['nonce missing', 'attestation-certificate', { extensions: [basicConstraints(false)] }],
    [
      'nonce without its wrapping',
      'attestation-certificate',
      { extensions: [extension(der.octetString(NONCE))] },
    ],
    [
      'nonce of 31 bytes',
      'attestation-certificate',
      { extensions: [nonceExtension(NONCE.subarray(1))] },
    ],
    [
      'a byte behind the nonce',
      'attestation-certificate',
      { extensions: [extension(Buffer.concat([nonceExtension(NONCE).value, Buffer.of(0)]))] },
    ],
    [
      'nonce with another tag',
      'attestation-certificate',
      { extensions: [extension(der.sequence(der.explicit(2, der.octetString(NONCE))))] },
    ],
    [
      'nonce of another ceremony',
      'attestation-mismatch',
      { extensions: [nonceExtension(sha256(NONCE))] },
    ],
    ['another key', 'attestation-mismatch', { publicKey: createKeyPair(ALG.ES256).publicKey }],
    [
      'a key of another kind',
      'attestation-mismatch',
      { publicKey: createKeyPair(ALG.RS256).publicKey },
    ],
  ])('refuses an apple certificate with %s (%s)', (_title, failure, parts) => {
    expect(refusal({ x5c: [certificate(parts)] })).toBe(failure);
  });
});
