import { encodeCbor, Raw, type CborInput } from '../../../packages/testing/src/cbor-writer.js';
import {
  ATTESTATION_SUBJECT,
  basicConstraints,
  name,
} from '../../../packages/testing/src/certificate-writer.js';
import { explicit, octetString, sequence } from '../../../packages/testing/src/der-writer.js';
import { ALG, createKeyPair } from '../../../packages/testing/src/key-pair.js';
import { createAttester } from '../../../packages/testing/src/attester.js';
import { type Attestation } from '../../../packages/testing/src/statements.js';
import { FLAGS } from '../../../packages/testing/src/structures.js';
import type { RegistrationTweaks } from '../../../packages/testing/src/tweaks.js';
import type { RegistrationCase } from './bodies.js';

/** Bytes before the attested credential data: RP ID hash, flags, counter. */
const HEADER = 37;
const AAGUID_END = HEADER + 16;

const tweaked = (title: string, code: string, tweaks: RegistrationTweaks): RegistrationCase => ({
  title,
  code,
  tweaks,
});

const authData = (title: string, code: string, spoil: (bytes: Buffer) => Buffer) =>
  tweaked(title, code, { authenticatorData: spoil });

const withoutAttested = (bytes: Buffer) => {
  const cleared = Buffer.from(bytes);
  cleared[32] = FLAGS.UP | FLAGS.UV;
  return cleared;
};

const idLength = (length: number) => (bytes: Buffer) => {
  const changed = Buffer.from(bytes);
  changed.writeUInt16BE(length, AAGUID_END);
  return changed;
};

const AUTHENTICATOR_DATA: readonly RegistrationCase[] = [
  authData('authenticator data has one byte', 'E1001R', (bytes) => bytes.subarray(0, 1)),
  authData('authenticator data has 36 bytes', 'E1001R', (bytes) => bytes.subarray(0, HEADER - 1)),
  authData('attested credential data is missing', 'E1004R', (bytes) =>
    withoutAttested(bytes).subarray(0, HEADER),
  ),
  authData('AT is clear before attested credential data', 'E1002R', withoutAttested),
  authData('AT is set and nothing follows', 'E1000R', (bytes) => bytes.subarray(0, HEADER)),
  authData('the AAGUID has 15 bytes', 'E1000R', (bytes) => bytes.subarray(0, AAGUID_END - 1)),
  authData('authenticator data ends inside the credential ID', 'E1001R', (bytes) =>
    bytes.subarray(0, 70),
  ),
  authData('the credential ID claims 65535 bytes', 'E1001R', idLength(65_535)),
  tweaked('the credential ID is empty', 'E1004R', { attestedCredentialId: Buffer.alloc(0) }),
  tweaked('the credential ID has 1024 bytes', 'E1004R', {
    attestedCredentialId: Buffer.alloc(1024, 1),
  }),
  authData('the public key is missing', 'E1001R', (bytes) =>
    bytes.subarray(0, AAGUID_END + 2 + 32),
  ),
  authData('authenticator data ends inside the public key', 'E1001R', (bytes) =>
    bytes.subarray(0, -1),
  ),
  authData('a byte follows the public key', 'E1002R', (bytes) =>
    Buffer.concat([bytes, Buffer.of(0)]),
  ),
  tweaked('ED is set and nothing follows', 'E1001R', { flags: () => FLAGS.UP | FLAGS.ED }),
  tweaked('the extensions are no map', 'E1004R', {
    flags: () => FLAGS.UP | FLAGS.ED,
    authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.of(0x80)]),
  }),
  tweaked('a byte follows the extensions', 'E1002R', {
    flags: () => FLAGS.UP | FLAGS.ED,
    authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.of(0xa0, 0)]),
  }),
];

const object = (title: string, code: string, bytes: Buffer) =>
  tweaked(title, code, { attestationObject: () => bytes });

const members = (...entries: (readonly [string, CborInput])[]) => encodeCbor(new Map(entries));
const empty = new Map<string, CborInput>();

const CONTAINERS: readonly RegistrationCase[] = [
  object('the attestation object is an array', 'E1004R', Buffer.of(0x80)),
  object('the attestation object is null', 'E1004R', Buffer.of(0xf6)),
  tweaked('the attestation object is truncated', 'E1001R', {
    attestationObject: (bytes) => bytes.subarray(0, -1),
  }),
  tweaked('a byte follows the attestation object', 'E1002R', {
    attestationObject: (bytes) => Buffer.concat([bytes, Buffer.of(0)]),
  }),
  object('fmt is missing', 'E1004R', members(['attStmt', empty], ['authData', Buffer.alloc(200)])),
  object('attStmt is missing', 'E1004R', members(['fmt', 'none'], ['authData', Buffer.alloc(200)])),
  object('authData is missing', 'E1004R', members(['fmt', 'none'], ['attStmt', empty])),
  tweaked('fmt occurs twice', 'E1004R', {
    attestationObject: (bytes) =>
      Buffer.concat([Buffer.of(0xa4), encodeCbor('fmt'), encodeCbor('packed'), bytes.subarray(1)]),
  }),
  object(
    'the attestation object has an integer as key',
    'E1004R',
    encodeCbor(new Map([[1, 'none']])),
  ),
  object('the attestation object has an indefinite length', 'E1004R', Buffer.of(0xbf, 0xff)),
  object('the attestation object has a tag', 'E1004R', Buffer.of(0xc0, 0xa0)),
  object(
    'the attestation object contains a float',
    'E1004R',
    Buffer.of(0xa1, 0x61, 0x61, 0xf9, 0x3c, 0),
  ),
  object(
    'the attestation object consists of 20,000 nested arrays',
    'E1004R',
    Buffer.alloc(20_000, 0x81),
  ),
  object(
    'the attestation object is an array that claims 2³² − 1 members',
    'E1001R',
    Buffer.of(0x9a, 255, 255, 255, 255),
  ),
  ...['__proto__', 'constructor', 'Packed', 'packed ', '', 'tpm2', 'unknown'].map((fmt) =>
    tweaked(`fmt is ${JSON.stringify(fmt)}`, 'E1004R', { fmt }),
  ),
];

/** A statement of a format with one thing wrong. */
const statement = (
  title: string,
  [attestation, code]: readonly [Attestation, string],
  tweaks: RegistrationTweaks,
): RegistrationCase => ({ title, code, device: { attestation }, tweaks });

const without = (member: string) => (good: Map<string, CborInput>) => {
  const rest = new Map(good);
  rest.delete(member);
  return rest;
};
const having = (member: string, value: CborInput) => (good: Map<string, CborInput>) =>
  new Map(good).set(member, value);

const AAGUID = Buffer.alloc(16, 3);
const otherUnit = name([
  ['2.5.4.6', 'SE'],
  ['2.5.4.10', 'ServiceFido Test, Inc.'],
  ['2.5.4.11', 'authenticator attestation'],
  ['2.5.4.3', 'Test'],
]);
const packedCertificate = (
  title: string,
  parts: Parameters<typeof createAttester>[1],
): RegistrationCase => ({
  title,
  code: 'E1007R',
  device: {
    attestation: 'packed',
    aaguid: AAGUID,
    attester: createAttester(AAGUID, parts),
  },
});

/** An Apple certificate whose nonce matches no ceremony. */
const APPLE_CERTIFICATE = createAttester(AAGUID, {
  extensions: [
    basicConstraints(false),
    {
      id: '1.2.840.113635.100.8.2',
      value: sequence(explicit(1, octetString(Buffer.alloc(32)))),
    },
  ],
}).x5c;

const STATEMENTS: readonly RegistrationCase[] = [
  tweaked('fmt "none" has a statement', 'E1004R', { attStmt: new Map([['sig', Buffer.of(1)]]) }),
  tweaked('fmt "none" has a statement that is no map', 'E1004R', { attStmt: [] }),
  statement('alg of a packed statement is not that of the key', ['packed-self', 'E1005R'], {
    statement: having('alg', ALG.RS256),
  }),
  statement('another key signed a packed self attestation', ['packed-self', 'E1006R'], {
    signingKey: createKeyPair(ALG.ES256),
  }),
  statement('a packed statement is empty', ['packed-self', 'E1004R'], { attStmt: empty }),
  statement('a packed statement has no alg', ['packed-self', 'E1004R'], {
    statement: without('alg'),
  }),
  statement('alg of a packed statement is a text', ['packed-self', 'E1004R'], {
    statement: having('alg', 'ES256'),
  }),
  statement('a packed statement has no sig', ['packed-self', 'E1004R'], {
    statement: without('sig'),
  }),
  statement('sig of a packed statement is empty', ['packed-self', 'E1004R'], {
    statement: having('sig', Buffer.alloc(0)),
  }),
  statement('a packed statement has ecdaaKeyId', ['packed-self', 'E1004R'], {
    statement: having('ecdaaKeyId', Buffer.of(1)),
  }),
  statement('x5c of a packed statement is empty', ['packed', 'E1004R'], {
    statement: having('x5c', []),
  }),
  statement('x5c of a packed statement contains no certificate', ['packed', 'E1007R'], {
    statement: having('x5c', [Buffer.of(1, 2, 3)]),
  }),
  statement('sig of a packed statement does not fit x5c', ['packed', 'E1006R'], {
    statement: having('sig', Buffer.from('3006020101020101', 'hex')),
  }),
  packedCertificate('the certificate has version 1', { version: 1, extensions: [] }),
  packedCertificate('the certificate has another OU', { subject: otherUnit }),
  packedCertificate('the certificate is that of an authority', {
    extensions: [basicConstraints(true)],
  }),
  {
    title: 'the certificate contains another AAGUID',
    code: 'E1007R',
    device: {
      attestation: 'packed',
      aaguid: AAGUID,
      attester: createAttester(Buffer.alloc(16, 4), { subject: ATTESTATION_SUBJECT }),
    },
  },
  {
    title: 'the certificate has expired',
    code: 'E1008R',
    device: {
      attestation: 'packed',
      aaguid: AAGUID,
      attester: createAttester(AAGUID, { notAfter: new Date('2021-01-01T00:00:00Z') }),
    },
  },
  statement('the AAGUID of fido-u2f is not zero', ['fido-u2f', 'E1003R'], { aaguid: AAGUID }),
  statement('sig of a fido-u2f statement does not fit x5c', ['fido-u2f', 'E1006R'], {
    statement: having('sig', Buffer.from('3006020101020101', 'hex')),
  }),
  statement('a fido-u2f statement has no x5c', ['fido-u2f', 'E1004R'], {
    statement: without('x5c'),
  }),
  tweaked('an apple certificate has the nonce of another ceremony', 'E1009R', {
    fmt: 'apple',
    attStmt: new Map([['x5c', APPLE_CERTIFICATE]]),
  }),
  tweaked('a key of the statement occurs twice', 'E1004R', {
    attStmt: new Raw(Buffer.from('a2637369674101637369674101', 'hex')),
  }),
];

/** Attestation objects that are refused: data, container, statement. */
export const ATTESTATION_CASES: readonly RegistrationCase[] = [
  ...AUTHENTICATOR_DATA,
  ...CONTAINERS,
  ...STATEMENTS,
];
