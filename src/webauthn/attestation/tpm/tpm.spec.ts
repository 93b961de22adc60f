import { createHash, sign } from 'node:crypto';
import {
  type AttestedKey,
  createAttestedKey,
} from '../../../../test/support/authenticator/attested-key.js';
import type { CborInput } from '../../../../test/support/authenticator/cbor-writer.js';
import { failureOf } from '../../../../test/support/authenticator/failure-of.js';
import {
  ALG,
  createKeyPair,
  generateRsaKey,
  signWith,
} from '../../../../test/support/authenticator/key-pair.js';
import { tpmCertificate } from '../../../../test/support/authenticator/tpm-certificate.js';
import {
  type CertifyInfoParts,
  type PublicAreaParts,
  tpmCertifyInfo,
  tpmName,
  tpmPublicArea,
  u16,
} from '../../../../test/support/authenticator/tpm-writer.js';
import type { Failure } from '../../failure.js';
import type { AttestationResult } from '../format.js';
import { verifyTpm } from './tpm.js';

const SUBJECT = createAttestedKey();
const RSA_SUBJECT = createAttestedKey(ALG.RS256);
const EDWARDS_SUBJECT = createAttestedKey(ALG.EdDSA);
const AIK = createKeyPair(ALG.RS256);
const X5C = [tpmCertificate(AIK)];
const RS1 = -65535;
/** Every TPM_ST of TPM 2.0 Part 2 §6.9 except TPM_ST_ATTEST_CERTIFY. */
const OTHER_STRUCTURES = [
  ...[0x00c4, 0x8000, 0x8001, 0x8002, 0x8014, 0x8015, 0x8016, 0x8018, 0x8019, 0x801a],
  ...[0x801c, 0x8021, 0x8022, 0x8023, 0x8024, 0x8025, 0x8029],
];
const rsaPair = (bits: number) => ({ alg: ALG.RS256, ...generateRsaKey(bits) });

type Members = Readonly<Record<string, CborInput | undefined>>;

interface StatementCase {
  readonly subject?: AttestedKey;
  /** Owner of the key that the TPM certifies; an honest TPM certifies the subject's. */
  readonly certified?: AttestedKey;
  readonly area?: PublicAreaParts;
  readonly info?: Partial<CertifyInfoParts>;
  /** Changes members of the statement after it was signed. */
  readonly members?: Members;
}

const ceremonyHash = ({ authData, clientDataHash }: AttestedKey, hash = 'sha256') =>
  createHash(hash).update(authData).update(clientDataHash).digest();

/** Verifies a statement that is valid except for the changes of the case. */
function verify(test: StatementCase): AttestationResult {
  const { subject = SUBJECT, certified = subject, area, info, members } = test;
  const pubArea = tpmPublicArea(certified.keyPair, area);
  const certInfo = tpmCertifyInfo({
    extraData: ceremonyHash(subject),
    name: tpmName(pubArea),
    ...info,
  });
  const sig = signWith(AIK, certInfo);
  const all = { ver: '2.0', alg: AIK.alg, x5c: X5C, sig, certInfo, pubArea, ...members };
  const given = Object.entries(all).flatMap(([key, value]): [string, CborInput][] =>
    value === undefined ? [] : [[key, value]],
  );
  return verifyTpm(subject.input(new Map(given)));
}

const refusal = (test: StatementCase) => failureOf(() => verify(test));

describe('§8.3 tpm', () => {
  it('Resp-9 P-1: accepts a key that the TPM certifies', () => {
    expect(verify({})).toEqual({ type: 'attca', trustPath: X5C, unbound: false });
    expect(refusal({ subject: RSA_SUBJECT })).toBeUndefined();
  });

  it.each([ALG.ES384, ALG.ES512])('accepts a key on the curve of algorithm %d', (alg) => {
    expect(refusal({ subject: createAttestedKey(alg) })).toBeUndefined();
  });

  it('T38, Resp-9 P-2: accepts a signature with SHA-1', () => {
    const pubArea = tpmPublicArea(SUBJECT.keyPair);
    const extraData = ceremonyHash(SUBJECT, 'sha1');
    const certInfo = tpmCertifyInfo({ extraData, name: tpmName(pubArea) });
    const sig = sign('sha1', certInfo, AIK.privateKey);
    expect(refusal({ members: { alg: RS1, certInfo, sig } })).toBeUndefined();
    expect(refusal({ members: { alg: RS1, sig } })).toBe('attestation-mismatch');
  });

  it.each<[string, Failure, Members]>([
    ['ver missing (T01)', 'attestation-malformed', { ver: undefined }],
    ['ver 1.2 (T01)', 'attestation-malformed', { ver: '1.2' }],
    ['ver 2 (T01)', 'attestation-malformed', { ver: '2' }],
    ['ver as bytes (T01)', 'attestation-malformed', { ver: Buffer.from('2.0') }],
    ['alg null (T02)', 'attestation-malformed', { alg: null }],
    ['alg as text (T02)', 'attestation-malformed', { alg: 'RS256' }],
    ['alg unknown (T02)', 'attestation-algorithm', { alg: -999 }],
    ['alg without a hash (T02)', 'attestation-algorithm', { alg: ALG.EdDSA }],
    ['alg of another key (T03)', 'attestation-algorithm', { alg: ALG.ES256 }],
    ['sig missing (T04)', 'attestation-malformed', { sig: undefined }],
    ['sig as text (T04)', 'attestation-malformed', { sig: 'x' }],
    ['sig empty (T04)', 'attestation-malformed', { sig: Buffer.alloc(0) }],
    ['sig wrong (T04)', 'attestation-signature', { sig: Buffer.alloc(256, 1) }],
    ['x5c missing (T05)', 'attestation-malformed', { x5c: undefined }],
    ['x5c not an array (T05)', 'attestation-malformed', { x5c: Buffer.alloc(1) }],
    ['x5c empty (T05)', 'attestation-malformed', { x5c: [] }],
    ['a null in x5c (T05)', 'attestation-malformed', { x5c: [null] }],
    ['an empty certificate (T05)', 'attestation-certificate', { x5c: [Buffer.alloc(0)] }],
    [
      'an intermediate that is none (T05)',
      'attestation-certificate',
      { x5c: [...X5C, Buffer.of(1)] },
    ],
    ['ecdaaKeyId (T06)', 'attestation-malformed', { ecdaaKeyId: Buffer.alloc(16) }],
    ['pubArea missing (T07)', 'attestation-malformed', { pubArea: undefined }],
    ['pubArea as text (T07)', 'attestation-malformed', { pubArea: 'x' }],
    ['pubArea empty (T07)', 'attestation-malformed', { pubArea: Buffer.alloc(0) }],
    ['certInfo missing (T17)', 'attestation-malformed', { certInfo: undefined }],
    ['certInfo as text (T17)', 'attestation-malformed', { certInfo: 'x' }],
    ['certInfo empty (T17)', 'attestation-malformed', { certInfo: Buffer.alloc(0) }],
  ])('%s is refused: %s', (_title, failure, members) => {
    expect(refusal({ members })).toBe(failure);
  });

  it('refuses a signature of an RSA key of 1024 bits (T39)', () => {
    const weak = rsaPair(1024);
    expect(refusal({ members: { x5c: [tpmCertificate(weak)] } })).toBe('attestation-certificate');
  });

  it('Resp-9 F-1: refuses certificates in the wrong order', () => {
    const other = tpmCertificate(rsaPair(2048));
    expect(refusal({ members: { x5c: [other, ...X5C] } })).toBe('attestation-signature');
  });
});

describe('§8.3 the public area', () => {
  const flip = (bytes: Buffer) => Buffer.from(bytes).fill((bytes[9] ?? 0) ^ 1, 9, 10);
  const signing = (scheme: number) => Buffer.concat([u16(scheme), u16(0x000b)]);
  const rsassa = signing(0x0014);

  it.each<[string, StatementCase]>([
    ['exponent 65537 written out (T11)', { subject: RSA_SUBJECT, area: { exponent: 65537 } }],
    ['RSASSA (T14)', { subject: RSA_SUBJECT, area: { scheme: rsassa } }],
    ['RSAPSS (T14)', { subject: RSA_SUBJECT, area: { scheme: signing(0x0016) } }],
    ['ECDSA (T14)', { area: { scheme: signing(0x0018) } }],
    ['further attributes', { area: { attributes: 0x0006_0472 } }],
    ['leading zeros', { area: { unique: (x) => Buffer.concat([Buffer.of(0), x]) } }],
  ])('accepts %s', (_title, test) => {
    expect(refusal(test)).toBeUndefined();
  });

  it.each<[string, StatementCase]>([
    ['type KEYEDHASH (T08)', { area: { type: 0x0008 } }],
    ['type SYMCIPHER (T08)', { area: { type: 0x0025 } }],
    ['unique empty (T09)', { area: { unique: () => Buffer.alloc(0) } }],
    ['T10, Resp-9 F-4: another modulus', { subject: RSA_SUBJECT, area: { unique: flip } }],
    ['another exponent (T11)', { subject: RSA_SUBJECT, area: { exponent: 3 } }],
    ['T12, Resp-9 F-4: another x', { area: { unique: flip } }],
    ['another y (T12)', { area: { y: flip } }],
    ['another curve (T12)', { area: { curve: 4 } }],
    ['an unknown curve (T12)', { area: { curve: 0x20 } }],
    ['a symmetric algorithm (T13)', { area: { symmetric: 0x0006 } }],
    ['an RSA scheme that encrypts (T14)', { subject: RSA_SUBJECT, area: { scheme: u16(0x0015) } }],
    ['an RSA scheme on a curve (T14)', { area: { scheme: rsassa } }],
    ['a curve scheme for RSA (T14)', { subject: RSA_SUBJECT, area: { scheme: signing(0x0018) } }],
    ['ECDAA (T14)', { area: { scheme: signing(0x001a) } }],
    ['an ECC scheme without details (T14)', { area: { scheme: u16(0x0014) } }],
    ['a key derivation', { area: { kdf: 0x0020 } }],
    ['not for signing (T15)', { area: { attributes: 0x0002_0472 } }],
  ])('%s is refused', (_title, test) => {
    expect(refusal(test)).toBe('attestation-mismatch');
  });

  const nowhere = { curve: 0x20, unique: () => Buffer.of(0), y: () => Buffer.of(0) };
  it.each<[string, StatementCase]>([
    ['RSA for one on a curve', { certified: RSA_SUBJECT }],
    ['a curve for one of RSA', { subject: RSA_SUBJECT, certified: SUBJECT }],
    ['no known curve for one of RSA', { subject: RSA_SUBJECT, certified: SUBJECT, area: nowhere }],
    ['a curve for one on an Edwards curve', { subject: EDWARDS_SUBJECT, certified: SUBJECT }],
    ['the same kind for another', { certified: createAttestedKey() }],
  ])('refuses a genuine area of a key of %s (T10, T12)', (_title, test) => {
    expect(refusal(test)).toBe('attestation-mismatch');
  });

  it('refuses an area truncated at any byte or followed by a byte (T07)', () => {
    const whole = tpmPublicArea(SUBJECT.keyPair);
    const cut = [...whole.keys()].map((length) => whole.subarray(0, length));
    const spoilt = [...cut, Buffer.concat([whole, Buffer.of(0)])];
    const failures = spoilt.map((pubArea) => refusal({ members: { pubArea } }));
    expect(new Set(failures)).toEqual(new Set(['attestation-malformed']));
  });

  it('refuses an area preceded by its size, and sizes beyond its end (T36, T37)', () => {
    const whole = tpmPublicArea(SUBJECT.keyPair);
    const prefixed = Buffer.concat([u16(whole.length), whole]);
    expect(refusal({ members: { pubArea: prefixed } })).toMatch(/^attestation-m/);
    const endless = Buffer.from(whole).fill(0xff, 8, 10);
    expect(refusal({ members: { pubArea: endless } })).toBe('attestation-malformed');
  });
});

describe('§8.3 the data that the TPM certifies', () => {
  const area = tpmPublicArea(SUBJECT.keyPair);
  const hash = ceremonyHash(SUBJECT);

  it.each<[string, Partial<CertifyInfoParts>]>([
    ['T18, Resp-9 F-3: another magic', { magic: 0xff544348 }],
    ...OTHER_STRUCTURES.map((type): [string, Partial<CertifyInfoParts>] => [
      `structure tag 0x${type.toString(16)} (T19)`,
      { type },
    ]),
    ['extraData empty (T20)', { extraData: Buffer.alloc(0) }],
    ['T20, Resp-9 F-2: extraData of another ceremony', { extraData: Buffer.alloc(32) }],
    ['extraData of another hash (T20)', { extraData: ceremonyHash(SUBJECT, 'sha384') }],
    ['extraData with a byte more (T20)', { extraData: Buffer.concat([hash, Buffer.of(0)]) }],
    ['the name a handle (T21)', { name: Buffer.alloc(4) }],
    ['the name empty (T21)', { name: Buffer.alloc(0) }],
    ['a byte behind the name (T21)', { name: Buffer.concat([tpmName(area), Buffer.of(0)]) }],
    ['the name of another algorithm (T23)', { name: tpmName(area, 'sha256', 0x000c) }],
    ['a name with another hash (T16)', { name: tpmName(area, 'sha384', 0x000c) }],
    ['the name of another area (T24)', { name: tpmName(Buffer.from(area).reverse()) }],
  ])('%s is refused', (_title, info) => {
    expect(refusal({ info })).toBe('attestation-mismatch');
  });

  it.each([
    ['sha384', 0x000c],
    ['sha512', 0x000d],
  ])('accepts a name with %s (T16)', (name, nameAlg) => {
    const pubArea = tpmPublicArea(SUBJECT.keyPair, { nameAlg });
    const info = { name: tpmName(pubArea, name, nameAlg) };
    expect(refusal({ area: { nameAlg }, info })).toBeUndefined();
  });

  it('refuses a name with SHA-1 or an unknown hash (T23)', () => {
    const pubArea = tpmPublicArea(SUBJECT.keyPair, { nameAlg: 0x0004 });
    const info = { name: tpmName(pubArea, 'sha1', 0x0004) };
    expect(refusal({ area: { nameAlg: 0x0004 }, info })).toBe('attestation-algorithm');
    expect(refusal({ area: { nameAlg: 0x0099 } })).toBe('attestation-algorithm');
  });

  it('refuses certInfo truncated at any byte or followed by a byte (T22)', () => {
    const whole = tpmCertifyInfo({ extraData: hash, name: tpmName(area) });
    const cut = [...whole.keys()].map((length) => whole.subarray(0, length));
    const spoilt = [...cut, Buffer.concat([whole, Buffer.of(0)])];
    const failures = spoilt.map((certInfo) => refusal({ members: { certInfo } }));
    expect(new Set(failures)).toEqual(new Set(['attestation-malformed']));
  });

  it('refuses certInfo and pubArea when they are swapped (T35)', () => {
    const certInfo = tpmCertifyInfo({ extraData: hash, name: tpmName(area) });
    const members = { certInfo: area, pubArea: certInfo };
    expect(refusal({ members })).toMatch(/^attestation-m/);
  });
});
