import { encodeCbor, Raw } from '../authenticator/cbor-writer.js';
import type { CborInput } from '../authenticator/cbor-writer.js';
import {
  ATTESTATION_SUBJECT,
  basicConstraints,
  name,
} from '../authenticator/certificate-writer.js';
import { explicit, octetString, sequence } from '../authenticator/der-writer.js';
import { ALG, createKeyPair } from '../authenticator/key-pair.js';
import { createAttester } from '../authenticator/statements.js';
import type { Attestation } from '../authenticator/statements.js';
import { FLAGS } from '../authenticator/structures.js';
import type { RegistrationTweaks } from '../authenticator/tweaks.js';
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
  authData('D01 one byte', 'E1001R', (bytes) => bytes.subarray(0, 1)),
  authData('D01 36 bytes', 'E1001R', (bytes) => bytes.subarray(0, HEADER - 1)),
  authData('D02 no attested credential data', 'E1004R', (bytes) =>
    withoutAttested(bytes).subarray(0, HEADER),
  ),
  authData('D14 attested credential data without AT', 'E1002R', withoutAttested),
  authData('D15 AT and nothing behind it', 'E1000R', (bytes) => bytes.subarray(0, HEADER)),
  authData('D15 an AAGUID of 15 bytes', 'E1000R', (bytes) => bytes.subarray(0, AAGUID_END - 1)),
  authData('D16 cut inside the credential ID', 'E1001R', (bytes) => bytes.subarray(0, 70)),
  authData('D16 a credential ID of 65535 bytes', 'E1001R', idLength(65_535)),
  tweaked('D17 an empty credential ID', 'E1004R', { attestedCredentialId: Buffer.alloc(0) }),
  tweaked('D19 a credential ID of 1024 bytes', 'E1004R', {
    attestedCredentialId: Buffer.alloc(1024, 1),
  }),
  authData('D20 no public key', 'E1001R', (bytes) => bytes.subarray(0, AAGUID_END + 2 + 32)),
  authData('D20 cut inside the public key', 'E1001R', (bytes) => bytes.subarray(0, -1)),
  authData('D21 a byte behind the public key', 'E1002R', (bytes) =>
    Buffer.concat([bytes, Buffer.of(0)]),
  ),
  tweaked('D22 ED and nothing behind it', 'E1001R', { flags: () => FLAGS.UP | FLAGS.ED }),
  tweaked('D22 extensions that are no map', 'E1004R', {
    flags: () => FLAGS.UP | FLAGS.ED,
    authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.of(0x80)]),
  }),
  tweaked('D22 a byte behind the extensions', 'E1002R', {
    flags: () => FLAGS.UP | FLAGS.ED,
    authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.of(0xa0, 0)]),
  }),
];

const object = (title: string, code: string, bytes: Buffer) =>
  tweaked(title, code, { attestationObject: () => bytes });

const members = (...entries: (readonly [string, CborInput])[]) => encodeCbor(new Map(entries));
const empty = new Map<string, CborInput>();

const CONTAINERS: readonly RegistrationCase[] = [
  object('E01 an array', 'E1004R', Buffer.of(0x80)),
  object('E01 null', 'E1004R', Buffer.of(0xf6)),
  tweaked('E02 cut', 'E1001R', { attestationObject: (bytes) => bytes.subarray(0, -1) }),
  tweaked('E03 a byte behind it', 'E1002R', {
    attestationObject: (bytes) => Buffer.concat([bytes, Buffer.of(0)]),
  }),
  object('E04 no fmt', 'E1004R', members(['attStmt', empty], ['authData', Buffer.alloc(200)])),
  object('E04 no attStmt', 'E1004R', members(['fmt', 'none'], ['authData', Buffer.alloc(200)])),
  object('E04 no authData', 'E1004R', members(['fmt', 'none'], ['attStmt', empty])),
  tweaked('E05 fmt twice', 'E1004R', {
    attestationObject: (bytes) =>
      Buffer.concat([Buffer.of(0xa4), encodeCbor('fmt'), encodeCbor('packed'), bytes.subarray(1)]),
  }),
  object('E06 keys that are integers', 'E1004R', encodeCbor(new Map([[1, 'none']]))),
  object('E08 a map of indefinite length', 'E1004R', Buffer.of(0xbf, 0xff)),
  object('E09 a tag', 'E1004R', Buffer.of(0xc0, 0xa0)),
  object('E10 a float', 'E1004R', Buffer.of(0xa1, 0x61, 0x61, 0xf9, 0x3c, 0)),
  object('E14 20,000 nested arrays', 'E1004R', Buffer.alloc(20_000, 0x81)),
  object(
    'E15 an array that claims four thousand million',
    'E1001R',
    Buffer.of(0x9a, 255, 255, 255, 255),
  ),
  ...['__proto__', 'constructor', 'Packed', 'packed ', '', 'tpm2', 'unknown'].map((fmt) =>
    tweaked(`E18–E19 fmt ${JSON.stringify(fmt)}`, 'E1004R', { fmt }),
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
const certified = (
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

/** Of Apple's form, with the nonce of no ceremony. */
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
  tweaked('NO none with a statement', 'E1004R', { attStmt: new Map([['sig', Buffer.of(1)]]) }),
  tweaked('NO none with a statement that is no map', 'E1004R', { attStmt: [] }),
  statement('PK02 another alg than the key', ['packed-self', 'E1005R'], {
    statement: having('alg', ALG.RS256),
  }),
  statement('PK03 signed by another key', ['packed-self', 'E1006R'], {
    signingKey: createKeyPair(ALG.ES256),
  }),
  statement('PK04 an empty statement', ['packed-self', 'E1004R'], { attStmt: empty }),
  statement('PK05 no alg', ['packed-self', 'E1004R'], { statement: without('alg') }),
  statement('PK05 alg as text', ['packed-self', 'E1004R'], { statement: having('alg', 'ES256') }),
  statement('PK06 no sig', ['packed-self', 'E1004R'], { statement: without('sig') }),
  statement('PK06 an empty sig', ['packed-self', 'E1004R'], {
    statement: having('sig', Buffer.alloc(0)),
  }),
  statement('PK07 ecdaaKeyId', ['packed-self', 'E1004R'], {
    statement: having('ecdaaKeyId', Buffer.of(1)),
  }),
  statement('PK08 an empty x5c', ['packed', 'E1004R'], { statement: having('x5c', []) }),
  statement('PK09 a certificate that is none', ['packed', 'E1007R'], {
    statement: having('x5c', [Buffer.of(1, 2, 3)]),
  }),
  statement('PK03 x5c with the signature of another key', ['packed', 'E1006R'], {
    statement: having('sig', Buffer.from('3006020101020101', 'hex')),
  }),
  certified('PK15 a certificate of version 1', { version: 1, extensions: [] }),
  certified('PK17 another OU', { subject: otherUnit }),
  certified('PK20 a certificate of an authority', { extensions: [basicConstraints(true)] }),
  {
    title: 'PK21 a certificate of another AAGUID',
    code: 'E1007R',
    device: {
      attestation: 'packed',
      aaguid: AAGUID,
      attester: createAttester(Buffer.alloc(16, 4), { subject: ATTESTATION_SUBJECT }),
    },
  },
  {
    title: 'PK13 an expired certificate',
    code: 'E1008R',
    device: {
      attestation: 'packed',
      aaguid: AAGUID,
      attester: createAttester(AAGUID, { notAfter: new Date('2021-01-01T00:00:00Z') }),
    },
  },
  statement('FU an AAGUID that is not zero', ['fido-u2f', 'E1003R'], { aaguid: AAGUID }),
  statement('FU the signature of another key', ['fido-u2f', 'E1006R'], {
    statement: having('sig', Buffer.from('3006020101020101', 'hex')),
  }),
  statement('FU no x5c', ['fido-u2f', 'E1004R'], { statement: without('x5c') }),
  tweaked('AP02 the nonce of another ceremony', 'E1009R', {
    fmt: 'apple',
    attStmt: new Map([['x5c', APPLE_CERTIFICATE]]),
  }),
  tweaked('E20 a key of the statement twice', 'E1004R', {
    attStmt: new Raw(Buffer.from('a2637369674101637369674101', 'hex')),
  }),
];

/** Attestation objects that are refused: data, container, statement. */
export const ATTESTATION_CASES: readonly RegistrationCase[] = [
  ...AUTHENTICATOR_DATA,
  ...CONTAINERS,
  ...STATEMENTS,
];
