import { createHash, sign } from 'node:crypto';
import {
  type AttestedKey,
  createAttestedKey,
} from '../../../../test/support/authenticator/attested-key.js';
import type { CborInput } from '../../../../packages/testing/src/cbor-writer.js';
import { failureOf } from '../../../../test/support/authenticator/failure-of.js';
import {
  ALG,
  createKeyPair,
  generateRsaKey,
  signWith,
} from '../../../../packages/testing/src/key-pair.js';
import { tpmCertificate } from '../../../../packages/testing/src/tpm-certificate.js';
import {
  type CertifyInfoParts,
  type PublicAreaParts,
  tpmCertifyInfo,
  tpmName,
  tpmPublicArea,
  u16,
} from '../../../../packages/testing/src/tpm-writer.js';
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

const refusal = (test: StatementCase) => failureOf(() => verify(test));

describe('tpm attestation (WebAuthn L3 §8.3)', () => {
  it('accepts a tpm statement for a key that the TPM certifies', () => {
    expect(verify({})).toEqual({ type: 'attca', trustPath: X5C, unbound: false });
    expect(refusal({ subject: RSA_SUBJECT })).toBeUndefined();
  });

  it.each([ALG.ES384, ALG.ES512])('accepts a tpm statement for a key of algorithm %d', (alg) => {
    expect(refusal({ subject: createAttestedKey(alg) })).toBeUndefined();
  });

  it('accepts a tpm signature with SHA-1 over extraData with SHA-1', () => {
    const pubArea = tpmPublicArea(SUBJECT.keyPair);
    const extraData = ceremonyHash(SUBJECT, 'sha1');
    const certInfo = tpmCertifyInfo({ extraData, name: tpmName(pubArea) });
    const sig = sign('sha1', certInfo, AIK.privateKey);
    expect(refusal({ members: { alg: RS1, certInfo, sig } })).toBeUndefined();
    expect(refusal({ members: { alg: RS1, sig } })).toBe('attestation-mismatch');
  });

  it.each<[string, Failure, Members]>([
    ['ver missing', 'attestation-malformed', { ver: undefined }],
    ['ver 1.2', 'attestation-malformed', { ver: '1.2' }],
    ['ver 2', 'attestation-malformed', { ver: '2' }],
    ['ver as bytes', 'attestation-malformed', { ver: Buffer.from('2.0') }],
    ['alg null', 'attestation-malformed', { alg: null }],
    ['alg as text', 'attestation-malformed', { alg: 'RS256' }],
    ['alg unknown', 'attestation-algorithm', { alg: -999 }],
    ['alg without a hash', 'attestation-algorithm', { alg: ALG.EdDSA }],
    ['alg of another key', 'attestation-algorithm', { alg: ALG.ES256 }],
    ['sig missing', 'attestation-malformed', { sig: undefined }],
    ['sig as text', 'attestation-malformed', { sig: 'x' }],
    ['sig empty', 'attestation-malformed', { sig: Buffer.alloc(0) }],
    ['sig wrong', 'attestation-signature', { sig: Buffer.alloc(256, 1) }],
    ['x5c missing', 'attestation-malformed', { x5c: undefined }],
    ['x5c not an array', 'attestation-malformed', { x5c: Buffer.alloc(1) }],
    ['x5c empty', 'attestation-malformed', { x5c: [] }],
    ['a null in x5c', 'attestation-malformed', { x5c: [null] }],
    ['an empty certificate', 'attestation-certificate', { x5c: [Buffer.alloc(0)] }],
    [
      'an intermediate that is not a certificate',
      'attestation-certificate',
      { x5c: [...X5C, Buffer.of(1)] },
    ],
    ['ecdaaKeyId', 'attestation-malformed', { ecdaaKeyId: Buffer.alloc(16) }],
    ['pubArea missing', 'attestation-malformed', { pubArea: undefined }],
    ['pubArea as text', 'attestation-malformed', { pubArea: 'x' }],
    ['pubArea empty', 'attestation-malformed', { pubArea: Buffer.alloc(0) }],
    ['certInfo missing', 'attestation-malformed', { certInfo: undefined }],
    ['certInfo as text', 'attestation-malformed', { certInfo: 'x' }],
    ['certInfo empty', 'attestation-malformed', { certInfo: Buffer.alloc(0) }],
  ])('refuses a tpm statement with %s (%s)', (_title, failure, members) => {
    expect(refusal({ members })).toBe(failure);
  });

  it('refuses a tpm signature by an RSA key of 1024 bits', () => {
    const weak = rsaPair(1024);
    expect(refusal({ members: { x5c: [tpmCertificate(weak)] } })).toBe('attestation-certificate');
  });

  it('refuses tpm certificates in the wrong order', () => {
    const other = tpmCertificate(rsaPair(2048));
    expect(refusal({ members: { x5c: [other, ...X5C] } })).toBe('attestation-signature');
  });
});

describe('the public area of a TPM key (WebAuthn L3 §8.3)', () => {
  const flip = (bytes: Buffer) => Buffer.from(bytes).fill((bytes[9] ?? 0) ^ 1, 9, 10);
  const signing = (scheme: number) => Buffer.concat([u16(scheme), u16(0x000b)]);
  const rsassa = signing(0x0014);

  it.each<[string, StatementCase]>([
    ['exponent 65537 written out', { subject: RSA_SUBJECT, area: { exponent: 65537 } }],
    ['RSASSA', { subject: RSA_SUBJECT, area: { scheme: rsassa } }],
    ['RSAPSS', { subject: RSA_SUBJECT, area: { scheme: signing(0x0016) } }],
    ['ECDSA', { area: { scheme: signing(0x0018) } }],
    ['further attributes', { area: { attributes: 0x0006_0472 } }],
    ['leading zeros', { area: { unique: (x) => Buffer.concat([Buffer.of(0), x]) } }],
  ])('accepts a public area with %s', (_title, test) => {
    expect(refusal(test)).toBeUndefined();
  });

  it.each<[string, StatementCase]>([
    ['type KEYEDHASH', { area: { type: 0x0008 } }],
    ['type SYMCIPHER', { area: { type: 0x0025 } }],
    ['unique empty', { area: { unique: () => Buffer.alloc(0) } }],
    ['another modulus', { subject: RSA_SUBJECT, area: { unique: flip } }],
    ['another exponent', { subject: RSA_SUBJECT, area: { exponent: 3 } }],
    ['another x', { area: { unique: flip } }],
    ['another y', { area: { y: flip } }],
    ['another curve', { area: { curve: 4 } }],
    ['an unknown curve', { area: { curve: 0x20 } }],
    ['a symmetric algorithm', { area: { symmetric: 0x0006 } }],
    ['an RSA scheme that encrypts', { subject: RSA_SUBJECT, area: { scheme: u16(0x0015) } }],
    ['an RSA scheme on a curve', { area: { scheme: rsassa } }],
    ['a curve scheme for RSA', { subject: RSA_SUBJECT, area: { scheme: signing(0x0018) } }],
    ['ECDAA', { area: { scheme: signing(0x001a) } }],
    ['an ECC scheme without details', { area: { scheme: u16(0x0014) } }],
    ['a key derivation scheme', { area: { kdf: 0x0020 } }],
    ['attributes of a key that cannot sign', { area: { attributes: 0x0002_0472 } }],
  ])('refuses a public area with %s', (_title, test) => {
    expect(refusal(test)).toBe('attestation-mismatch');
  });

  const nowhere = { curve: 0x20, unique: () => Buffer.of(0), y: () => Buffer.of(0) };
  it.each<[string, StatementCase]>([
    ['an RSA key for a credential key on a curve', { certified: RSA_SUBJECT }],
    ['a key on a curve for an RSA credential key', { subject: RSA_SUBJECT, certified: SUBJECT }],
    [
      'a key on an unknown curve for an RSA credential key',
      { subject: RSA_SUBJECT, certified: SUBJECT, area: nowhere },
    ],
    [
      'a key on P-256 for a credential key on an Edwards curve',
      { subject: EDWARDS_SUBJECT, certified: SUBJECT },
    ],
    ['another key of the same kind', { certified: createAttestedKey() }],
  ])('refuses a certified public area of %s', (_title, test) => {
    expect(refusal(test)).toBe('attestation-mismatch');
  });

  it('refuses a public area truncated at any byte or followed by a byte', () => {
    const whole = tpmPublicArea(SUBJECT.keyPair);
    const cut = [...whole.keys()].map((length) => whole.subarray(0, length));
    const spoilt = [...cut, Buffer.concat([whole, Buffer.of(0)])];
    const failures = spoilt.map((pubArea) => refusal({ members: { pubArea } }));
    expect(new Set(failures)).toEqual(new Set(['attestation-malformed']));
  });

  it('refuses a public area preceded by its size, and sizes beyond its end', () => {
    const whole = tpmPublicArea(SUBJECT.keyPair);
    const prefixed = Buffer.concat([u16(whole.length), whole]);
    expect(refusal({ members: { pubArea: prefixed } })).toMatch(/^attestation-m/);
    const endless = Buffer.from(whole).fill(0xff, 8, 10);
    expect(refusal({ members: { pubArea: endless } })).toBe('attestation-malformed');
  });
});

describe('the certified data of a TPM (WebAuthn L3 §8.3)', () => {
  const area = tpmPublicArea(SUBJECT.keyPair);
  const hash = ceremonyHash(SUBJECT);

  it.each<[string, Partial<CertifyInfoParts>]>([
    ['another magic', { magic: 0xff544348 }],
    ...OTHER_STRUCTURES.map((type): [string, Partial<CertifyInfoParts>] => [
      `structure tag 0x${type.toString(16)}`,
      { type },
    ]),
    ['extraData empty', { extraData: Buffer.alloc(0) }],
    ['extraData of another ceremony', { extraData: Buffer.alloc(32) }],
    ['extraData of another hash', { extraData: ceremonyHash(SUBJECT, 'sha384') }],
    ['a byte behind extraData', { extraData: Buffer.concat([hash, Buffer.of(0)]) }],
    ['a handle as name', { name: Buffer.alloc(4) }],
    ['an empty name', { name: Buffer.alloc(0) }],
    ['a byte behind the name', { name: Buffer.concat([tpmName(area), Buffer.of(0)]) }],
    ['the name of another algorithm', { name: tpmName(area, 'sha256', 0x000c) }],
    ['a name with another hash', { name: tpmName(area, 'sha384', 0x000c) }],
    ['the name of another area', { name: tpmName(Buffer.from(area).reverse()) }],
  ])('refuses certified data with %s', (_title, info) => {
    expect(refusal({ info })).toBe('attestation-mismatch');
  });

  it.each([
    ['sha384', 0x000c],
    ['sha512', 0x000d],
  ])('accepts a TPM name with %s', (name, nameAlg) => {
    const pubArea = tpmPublicArea(SUBJECT.keyPair, { nameAlg });
    const info = { name: tpmName(pubArea, name, nameAlg) };
    expect(refusal({ area: { nameAlg }, info })).toBeUndefined();
  });

  it('refuses a TPM name with SHA-1 or an unknown hash', () => {
    const pubArea = tpmPublicArea(SUBJECT.keyPair, { nameAlg: 0x0004 });
    const info = { name: tpmName(pubArea, 'sha1', 0x0004) };
    expect(refusal({ area: { nameAlg: 0x0004 }, info })).toBe('attestation-algorithm');
    expect(refusal({ area: { nameAlg: 0x0099 } })).toBe('attestation-algorithm');
  });

  it('refuses certInfo truncated at any byte or followed by a byte', () => {
    const whole = tpmCertifyInfo({ extraData: hash, name: tpmName(area) });
    const cut = [...whole.keys()].map((length) => whole.subarray(0, length));
    const spoilt = [...cut, Buffer.concat([whole, Buffer.of(0)])];
    const failures = spoilt.map((certInfo) => refusal({ members: { certInfo } }));
    expect(new Set(failures)).toEqual(new Set(['attestation-malformed']));
  });

  it('refuses certInfo and pubArea when they are swapped', () => {
    const certInfo = tpmCertifyInfo({ extraData: hash, name: tpmName(area) });
    const members = { certInfo: area, pubArea: certInfo };
    expect(refusal({ members })).toMatch(/^attestation-m/);
  });
});

function ceremonyHash({ authData, clientDataHash }: AttestedKey, hash = 'sha256') {
  return createHash(hash).update(authData).update(clientDataHash).digest();
}

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
