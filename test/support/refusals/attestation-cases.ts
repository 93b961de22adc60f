import { encodeCbor, Raw, type CborInput } from '../authenticator/cbor-writer.js';
import {
  ATTESTATION_SUBJECT,
  basicConstraints,
  name,
} from '../authenticator/certificate-writer.js';
import { explicit, octetString, sequence } from '../authenticator/der-writer.js';
import { ALG, createKeyPair } from '../authenticator/key-pair.js';
import { createAttester, type Attestation } from '../authenticator/statements.js';
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
  authData('one byte (D01)', 'E1001R', (bytes) => bytes.subarray(0, 1)),
  authData('36 bytes (D01)', 'E1001R', (bytes) => bytes.subarray(0, HEADER - 1)),
  authData('no attested credential data (D02)', 'E1004R', (bytes) =>
    withoutAttested(bytes).subarray(0, HEADER),
  ),
  authData('attested credential data without AT (D14)', 'E1002R', withoutAttested),
  authData('AT and nothing behind it (D15)', 'E1000R', (bytes) => bytes.subarray(0, HEADER)),
  authData('an AAGUID of 15 bytes (D15)', 'E1000R', (bytes) => bytes.subarray(0, AAGUID_END - 1)),
  authData('cut inside the credential ID (D16)', 'E1001R', (bytes) => bytes.subarray(0, 70)),
  authData('a credential ID of 65535 bytes (D16)', 'E1001R', idLength(65_535)),
  tweaked('an empty credential ID (D17)', 'E1004R', { attestedCredentialId: Buffer.alloc(0) }),
  tweaked('a credential ID of 1024 bytes (D19)', 'E1004R', {
    attestedCredentialId: Buffer.alloc(1024, 1),
  }),
  authData('no public key (D20)', 'E1001R', (bytes) => bytes.subarray(0, AAGUID_END + 2 + 32)),
  authData('cut inside the public key (D20)', 'E1001R', (bytes) => bytes.subarray(0, -1)),
  authData('a byte behind the public key (D21)', 'E1002R', (bytes) =>
    Buffer.concat([bytes, Buffer.of(0)]),
  ),
  tweaked('ED and nothing behind it (D22)', 'E1001R', { flags: () => FLAGS.UP | FLAGS.ED }),
  tweaked('extensions that are no map (D22)', 'E1004R', {
    flags: () => FLAGS.UP | FLAGS.ED,
    authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.of(0x80)]),
  }),
  tweaked('a byte behind the extensions (D22)', 'E1002R', {
    flags: () => FLAGS.UP | FLAGS.ED,
    authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.of(0xa0, 0)]),
  }),
];

const object = (title: string, code: string, bytes: Buffer) =>
  tweaked(title, code, { attestationObject: () => bytes });

const members = (...entries: (readonly [string, CborInput])[]) => encodeCbor(new Map(entries));
const empty = new Map<string, CborInput>();

const CONTAINERS: readonly RegistrationCase[] = [
  object('an array (E01)', 'E1004R', Buffer.of(0x80)),
  object('null (E01)', 'E1004R', Buffer.of(0xf6)),
  tweaked('cut (E02)', 'E1001R', { attestationObject: (bytes) => bytes.subarray(0, -1) }),
  tweaked('a byte behind it (E03)', 'E1002R', {
    attestationObject: (bytes) => Buffer.concat([bytes, Buffer.of(0)]),
  }),
  object('no fmt (E04)', 'E1004R', members(['attStmt', empty], ['authData', Buffer.alloc(200)])),
  object('no attStmt (E04)', 'E1004R', members(['fmt', 'none'], ['authData', Buffer.alloc(200)])),
  object('no authData (E04)', 'E1004R', members(['fmt', 'none'], ['attStmt', empty])),
  tweaked('fmt twice (E05)', 'E1004R', {
    attestationObject: (bytes) =>
      Buffer.concat([Buffer.of(0xa4), encodeCbor('fmt'), encodeCbor('packed'), bytes.subarray(1)]),
  }),
  object('keys that are integers (E06)', 'E1004R', encodeCbor(new Map([[1, 'none']]))),
  object('a map of indefinite length (E08)', 'E1004R', Buffer.of(0xbf, 0xff)),
  object('a tag (E09)', 'E1004R', Buffer.of(0xc0, 0xa0)),
  object('a float (E10)', 'E1004R', Buffer.of(0xa1, 0x61, 0x61, 0xf9, 0x3c, 0)),
  object('20,000 nested arrays (E14)', 'E1004R', Buffer.alloc(20_000, 0x81)),
  object(
    'an array that claims four thousand million (E15)',
    'E1001R',
    Buffer.of(0x9a, 255, 255, 255, 255),
  ),
  ...['__proto__', 'constructor', 'Packed', 'packed ', '', 'tpm2', 'unknown'].map((fmt) =>
    tweaked(`fmt ${JSON.stringify(fmt)} (E18–E19)`, 'E1004R', { fmt }),
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
  statement('another alg than the key (PK02)', ['packed-self', 'E1005R'], {
    statement: having('alg', ALG.RS256),
  }),
  statement('signed by another key (PK03)', ['packed-self', 'E1006R'], {
    signingKey: createKeyPair(ALG.ES256),
  }),
  statement('an empty statement (PK04)', ['packed-self', 'E1004R'], { attStmt: empty }),
  statement('no alg (PK05)', ['packed-self', 'E1004R'], { statement: without('alg') }),
  statement('alg as text (PK05)', ['packed-self', 'E1004R'], { statement: having('alg', 'ES256') }),
  statement('no sig (PK06)', ['packed-self', 'E1004R'], { statement: without('sig') }),
  statement('an empty sig (PK06)', ['packed-self', 'E1004R'], {
    statement: having('sig', Buffer.alloc(0)),
  }),
  statement('ecdaaKeyId (PK07)', ['packed-self', 'E1004R'], {
    statement: having('ecdaaKeyId', Buffer.of(1)),
  }),
  statement('an empty x5c (PK08)', ['packed', 'E1004R'], { statement: having('x5c', []) }),
  statement('a certificate that is none (PK09)', ['packed', 'E1007R'], {
    statement: having('x5c', [Buffer.of(1, 2, 3)]),
  }),
  statement('x5c with the signature of another key (PK03)', ['packed', 'E1006R'], {
    statement: having('sig', Buffer.from('3006020101020101', 'hex')),
  }),
  certified('a certificate of version 1 (PK15)', { version: 1, extensions: [] }),
  certified('another OU (PK17)', { subject: otherUnit }),
  certified('a certificate of an authority (PK20)', { extensions: [basicConstraints(true)] }),
  {
    title: 'a certificate of another AAGUID (PK21)',
    code: 'E1007R',
    device: {
      attestation: 'packed',
      aaguid: AAGUID,
      attester: createAttester(Buffer.alloc(16, 4), { subject: ATTESTATION_SUBJECT }),
    },
  },
  {
    title: 'an expired certificate (PK13)',
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
  tweaked('the nonce of another ceremony (AP02)', 'E1009R', {
    fmt: 'apple',
    attStmt: new Map([['x5c', APPLE_CERTIFICATE]]),
  }),
  tweaked('a key of the statement twice (E20)', 'E1004R', {
    attStmt: new Raw(Buffer.from('a2637369674101637369674101', 'hex')),
  }),
];

/** Attestation objects that are refused: data, container, statement. */
export const ATTESTATION_CASES: readonly RegistrationCase[] = [
  ...AUTHENTICATOR_DATA,
  ...CONTAINERS,
  ...STATEMENTS,
];
