import { name, writeCertificate } from '../../../packages/testing/src/certificate-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import { ALG, createKeyPair, generateKeys } from '../../../packages/testing/src/key-pair.js';
import type { CborValue } from '../cbor.js';
import { certificateCost, ensureAffordable, ensureAffordableKeys } from './cost.js';

const chain = (length: number) => Array.from({ length }, () => Buffer.of(0));
const packed = (length: number) => new Map<string, CborValue>([['x5c', chain(length)]]);
/** A statement signed with this COSE algorithm, with a chain of this length. */
const signed = (alg: number, length: number) =>
  new Map<string, CborValue>([
    ['alg', alg],
    ['x5c', chain(length)],
  ]);
/** A certificate for a key on this curve, issued by a P-256 authority: the certified key counts. */
const certificateOn = (namedCurve: string) => {
  const subject = name([['2.5.4.3', 'Someone']]);
  const issuer = { name: subject, keyPair: createKeyPair(ALG.ES256) };
  const { publicKey } = generateKeys('ec', { namedCurve });
  return writeCertificate({ subject, issuer, publicKey });
};
const SELF = new Map<string, CborValue>([['alg', ALG.ES384]]);
const part = (attStmt: CborValue) => new Map<string, CborValue>([['attStmt', attStmt]]);

describe('the cost of the certificates in an attestation statement', () => {
  it.each<[string, CborValue, number]>([
    ['no certificates', new Map(), 0],
    ['self attestation', new Map<string, CborValue>([['sig', Buffer.of(0)]]), 0],
    ['packed with two certificates', packed(2), 2],
    ['packed with two certificates, signed by a key on P-256', signed(-7, 2), 2],
    ['packed with two certificates, signed by a key on P-384', signed(-35, 2), 8],
    ['packed with two certificates, signed by a key on P-521', signed(-36, 2), 8],
    ['self attestation by a key on P-521', new Map<string, CborValue>([['alg', -36]]), 4],
    ['SafetyNet', new Map<string, CborValue>([['response', Buffer.of(0)]]), 8],
    ['compound of three statements', [part(packed(2)), part(new Map()), part(packed(3)), 7], 5],
    ['a compound within a compound', [part([part(packed(2))])], 0],
    [
      'compound of eight statements, signed by keys on P-521',
      Array.from({ length: 8 }, () => part(signed(-36, 2))),
      64,
    ],
    [
      'compound with more statements than are allowed',
      Array.from({ length: 9 }, () => part(signed(-36, 8))),
      64,
    ],
    ['a value that is not a statement', 'x', 0],
    ['an x5c that is not a list', new Map<string, CborValue>([['x5c', 7]]), 0],
  ])('computes the certificate cost of a statement: %s', (_, statement, cost) => {
    expect(certificateCost(statement)).toBe(cost);
  });
});

describe('the maximum cost of a registration', () => {
  it.each<[string, CborValue]>([
    ['two statements of eight certificates each', [part(packed(8)), part(packed(8))]],
    ['four certificates by a key on P-521', signed(-36, 4)],
    ['four self attestations by a key on P-384', Array.from({ length: 4 }, () => part(SELF))],
  ])('allows a registration with %s', (_, statement) => {
    expect(failureOf(() => ensureAffordable(statement))).toBeUndefined();
  });

  it.each<[string, CborValue]>([
    ['17 certificates', [part(packed(8)), part(packed(8)), part(packed(1))]],
    ['five certificates by a key on P-521', signed(-36, 5)],
    ['five self attestations by a key on P-384', Array.from({ length: 5 }, () => part(SELF))],
  ])('refuses a registration with %s without parsing them', (_, statement) => {
    expect(failureOf(() => ensureAffordable(statement))).toBe('attestation-malformed');
  });

  it.each([
    ['P-256', 16, undefined],
    ['P-384', 4, undefined],
    ['P-384', 5, 'attestation-malformed'],
    ['P-521', 5, 'attestation-malformed'],
    ['secp256k1', 5, 'attestation-malformed'],
    ['sect571r1', 5, 'attestation-malformed'],
  ] as const)(
    'limits the cost of certificates with keys on %s, %d of them (failure: %s)',
    (curve, count, failure) => {
      const certificates = Array.from({ length: count }, () => certificateOn(curve));
      expect(failureOf(() => ensureAffordableKeys(certificates))).toBe(failure);
    },
  );
});
