import { createAttestedKey } from '../../../../test/support/authenticator/attested-key.js';
import type { CborInput } from '../../../../packages/testing/src/cbor-writer.js';
import {
  type CertificateParts,
  createAuthority,
  type Extension,
  keyUsage,
  name,
  OID,
  writeCertificate,
} from '../../../../packages/testing/src/certificate-writer.js';
import * as der from '../../../../packages/testing/src/der-writer.js';
import { failureOf } from '../../../../test/support/authenticator/failure-of.js';
import { ALG, createKeyPair, signWith } from '../../../../packages/testing/src/key-pair.js';
import { attestationRoot } from '../../../../packages/testing/src/attester.js';
import type { Failure } from '../../failure.js';
import { verifyAndroidKey } from './android-key.js';

const SUBJECT = createAttestedKey();
const SIGNED = Buffer.concat([SUBJECT.authData, SUBJECT.clientDataHash]);
const SIGNATURE = signWith(SUBJECT.keyPair, SIGNED);

const ENUMERATED = 0x0a;
const NULL = der.element(0x05);
const origin = (value: number) => der.explicit(702, der.integer(value));
const SIGN = purpose(2);
const GENERATED = origin(0);
const IMPORTED = origin(2);
const ALL_APPLICATIONS = der.explicit(600, NULL);
const CREATED = der.explicit(701, der.integer(1));
const UNKNOWN = der.explicit(16_000, NULL);

interface DescriptionParts {
  readonly challenge?: Buffer;
  readonly software?: readonly Buffer[];
  readonly tee?: readonly Buffer[];
}

const description = (parts?: DescriptionParts) => der.sequence(...members(parts));

/** A key description with one member of another type. */
const retyped = (index: number, member: Buffer) => der.sequence(...members().with(index, member));

const extension = (value: Buffer): Extension => ({ id: '1.3.6.1.4.1.11129.2.1.17', value });

const PROPER = certificate();

const refusal = (members: Parameters<typeof verify>[0]) => failureOf(() => verify(members));

describe('android-key attestation (WebAuthn L3 §8.4)', () => {
  it('accepts an android-key statement for a signing key that was generated on the device', () => {
    expect(verify({})).toEqual({ type: 'basic', trustPath: [PROPER] });
  });

  it('omits the root that Android sends from the certificate path', () => {
    const root = attestationRoot();
    const intermediate = createAuthority('Intermediate', { issuer: root });
    const x5c = [certificate({ issuer: intermediate }), intermediate.certificate];
    expect(verify({ x5c: [...x5c, root.certificate] }).trustPath).toEqual(x5c);
    expect(verify({ x5c }).trustPath).toEqual(x5c);
  });

  it.each<[string, Failure, Readonly<Record<string, CborInput | undefined>>]>([
    ['alg missing', 'attestation-malformed', { alg: undefined }],
    ['alg null', 'attestation-malformed', { alg: null }],
    ['sig missing', 'attestation-malformed', { sig: undefined }],
    ['sig empty', 'attestation-malformed', { sig: Buffer.alloc(0) }],
    ['x5c missing', 'attestation-malformed', { x5c: undefined }],
    ['x5c empty', 'attestation-malformed', { x5c: [] }],
    ['bytes that are not a certificate', 'attestation-certificate', { x5c: [Buffer.of(1)] }],
    [
      'an intermediate that is not a certificate',
      'attestation-certificate',
      { x5c: [PROPER, Buffer.of(1)] },
    ],
    ['a member of another format', 'attestation-malformed', { ver: '1' }],
    ['alg of another key', 'attestation-algorithm', { alg: ALG.ES384 }],
    [
      'a signature of other data',
      'attestation-signature',
      { sig: signWith(SUBJECT.keyPair, SUBJECT.authData) },
    ],
  ])('refuses an android-key statement with %s (%s)', (_title, failure, members) => {
    expect(refusal(members)).toBe(failure);
  });

  it('refuses an empty android-key statement', () => {
    const empty = SUBJECT.input(new Map());
    expect(failureOf(() => verifyAndroidKey(empty))).toBe('attestation-malformed');
  });

  it('refuses an android-key certificate of another key, which signed itself', () => {
    const other = createKeyPair(ALG.ES256);
    const x5c = [certificate({ publicKey: other.publicKey })];
    expect(refusal({ x5c, sig: signWith(other, SIGNED) })).toBe('attestation-mismatch');
  });

  it('refuses android-key certificates in the wrong order', () => {
    const x5c = [attestationRoot().certificate, PROPER];
    expect(refusal({ x5c })).toBe('attestation-signature');
  });

  it('refuses an android-key certificate without a key description', () => {
    const x5c = [certificate({ extensions: [] })];
    expect(refusal({ x5c })).toBe('attestation-certificate');
  });
});

describe('the key description of android-key (WebAuthn L3 §8.4.1)', () => {
  it.each<[string, DescriptionParts]>([
    ['origin and purpose in the software list', { software: [SIGN, GENERATED], tee: [] }],
    ['origin and purpose in different lists', { software: [SIGN], tee: [GENERATED] }],
    ['origin and purpose in both lists', { software: [SIGN, GENERATED], tee: [SIGN, GENERATED] }],
    ['unknown fields', { tee: [SIGN, UNKNOWN, GENERATED] }],
  ])('accepts a key description with %s', (_title, parts) => {
    expect(refusalOfExtension(description(parts))).toBeUndefined();
  });

  it.each<[string, Failure, DescriptionParts]>([
    ['another challenge', 'attestation-mismatch', { challenge: Buffer.alloc(32, 1) }],
    ['no challenge', 'attestation-mismatch', { challenge: Buffer.alloc(0) }],
    [
      'all applications in the software list',
      'attestation-certificate',
      { software: [ALL_APPLICATIONS] },
    ],
    [
      'all applications in the list of the trusted environment',
      'attestation-certificate',
      { tee: [SIGN, ALL_APPLICATIONS, GENERATED] },
    ],
    ['an imported key', 'attestation-certificate', { tee: [SIGN, IMPORTED] }],
    [
      'the origin imported in the trusted environment, generated in software',
      'attestation-certificate',
      { software: [GENERATED], tee: [SIGN, IMPORTED] },
    ],
    [
      'the origin generated in the trusted environment, imported in software',
      'attestation-certificate',
      { software: [IMPORTED], tee: [SIGN, GENERATED] },
    ],
    [
      'an imported key and an empty software list',
      'attestation-certificate',
      { software: [], tee: [SIGN, IMPORTED] },
    ],
    ['two empty lists', 'attestation-certificate', { software: [], tee: [] }],
    ['no origin', 'attestation-certificate', { tee: [SIGN] }],
    ['no purpose', 'attestation-certificate', { tee: [GENERATED] }],
    ['the purpose to verify', 'attestation-certificate', { tee: [purpose(3), GENERATED] }],
    [
      'the purposes to sign and to decrypt',
      'attestation-certificate',
      { tee: [purpose(2, 1), GENERATED] },
    ],
    ['an empty set of purposes', 'attestation-certificate', { tee: [purpose(), GENERATED] }],
    [
      'an unknown field before an imported origin',
      'attestation-certificate',
      { tee: [SIGN, UNKNOWN, IMPORTED] },
    ],
    ['two origins', 'attestation-certificate', { tee: [SIGN, GENERATED, IMPORTED] }],
    [
      'an origin of two numbers',
      'attestation-certificate',
      { tee: [SIGN, der.explicit(702, Buffer.concat([der.integer(0), der.integer(0)]))] },
    ],
    [
      'an origin that is empty',
      'attestation-certificate',
      { tee: [SIGN, der.explicit(702, Buffer.alloc(0))] },
    ],
    [
      'an origin that is not a number',
      'attestation-certificate',
      { tee: [SIGN, der.explicit(702, der.octetString(Buffer.of(0)))] },
    ],
    [
      'an origin of several bytes',
      'attestation-certificate',
      { tee: [SIGN, der.explicit(702, der.element(0x02, Buffer.alloc(2)))] },
    ],
    [
      'an origin that is a constructed integer',
      'attestation-certificate',
      { tee: [SIGN, der.explicit(702, der.element(0x22, Buffer.of(0)))] },
    ],
    [
      'a set of purposes in primitive form',
      'attestation-certificate',
      { software: [SIGN], tee: [der.explicit(1, der.element(0x11, Buffer.of(5, 0))), GENERATED] },
    ],
    ['a field without its tag', 'attestation-certificate', { tee: [SIGN, GENERATED, NULL] }],
  ])('refuses a key description with %s (%s)', (_title, failure, parts) => {
    expect(refusalOfExtension(description(parts))).toBe(failure);
  });

  it.each<[string, Buffer]>([
    ['empty', Buffer.alloc(0)],
    ['not a sequence', der.set(...members())],
    ['made of one member', der.sequence(NULL)],
    ['made of nine members', der.sequence(...members(), der.sequence())],
    ['followed by a byte', Buffer.concat([description(), Buffer.of(0)])],
    ['truncated', description().subarray(0, -1)],
    ['followed by another element', Buffer.concat([description(), NULL])],
    ['nested 3,000 levels deep', der.nested(3000)],
    ['made with a security level that is an integer', retyped(1, der.integer(1))],
    ['made with a challenge that is not an octet string', retyped(4, der.utf8String('challenge'))],
    [
      'made with a challenge in pieces',
      retyped(4, der.element(0x24, der.octetString(SUBJECT.clientDataHash))),
    ],
    ['made with a set in place of a list', retyped(7, der.set(SIGN, GENERATED))],
  ])('refuses a key description that is %s', (_title, value) => {
    expect(refusalOfExtension(value)).toBe('attestation-certificate');
  });
});

function purpose(...values: readonly number[]) {
  return der.explicit(1, der.set(...values.map((value) => der.integer(value))));
}

function members(parts: DescriptionParts = {}): readonly Buffer[] {
  return [
    der.integer(300),
    der.element(ENUMERATED, Buffer.of(1)),
    der.integer(300),
    der.element(ENUMERATED, Buffer.of(1)),
    der.octetString(parts.challenge ?? SUBJECT.clientDataHash),
    der.octetString(Buffer.alloc(0)),
    der.sequence(...(parts.software ?? [CREATED])),
    der.sequence(...(parts.tee ?? [SIGN, GENERATED])),
  ];
}

/** A certificate that is valid except for the given parts. */
function certificate(parts: Partial<CertificateParts> = {}): Buffer {
  return writeCertificate({
    subject: name([[OID.commonName, 'Android Keystore Key']]),
    issuer: attestationRoot(),
    publicKey: SUBJECT.keyPair.publicKey,
    extensions: [keyUsage('leaf'), extension(description())],
    ...parts,
  });
}

function verify(members: Readonly<Record<string, CborInput | undefined>>) {
  const all = { alg: ALG.ES256, sig: SIGNATURE, x5c: [PROPER], ...members };
  const given = Object.entries(all).flatMap(([key, value]): [string, CborInput][] =>
    value === undefined ? [] : [[key, value]],
  );
  return verifyAndroidKey(SUBJECT.input(new Map(given)));
}

function refusalOfExtension(value: Buffer) {
  return refusal({ x5c: [certificate({ extensions: [extension(value)] })] });
}
