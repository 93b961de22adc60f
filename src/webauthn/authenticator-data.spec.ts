import fc from 'fast-check';
import { type CborInput, encodeCbor, Raw } from '../../packages/testing/src/cbor-writer.js';
import { failureOf } from '../../test/support/authenticator/failure-of.js';
import { FLAGS, sha256, writeAuthenticatorData } from '../../packages/testing/src/structures.js';
import { parseAttestedAuthenticatorData, parseAuthenticatorData } from './authenticator-data.js';
import type { Failure } from './failure.js';

const HEADER = { rpIdHash: sha256('example.com'), flags: FLAGS.UP, signCount: 7 };
const KEY = encodeCbor(
  new Map<number, CborInput>([
    [1, 2],
    [3, -7],
  ]),
);
const CREDENTIAL = {
  aaguid: Buffer.alloc(16, 1),
  credentialId: Buffer.alloc(20, 2),
  publicKey: KEY,
};
const ASSERTED = writeAuthenticatorData(HEADER);
const ATTESTED = writeAuthenticatorData({ ...HEADER, credential: CREDENTIAL });
const EXTENSIONS = new Map<string, CborInput>([
  ['credProtect', 2],
  ['hmac-secret', true],
]);

const asserted = (bytes: Buffer) => failureOf(() => parseAuthenticatorData(bytes));
const attested = (bytes: Buffer) => failureOf(() => parseAttestedAuthenticatorData(bytes));

function withFlags(bytes: Buffer, change: (flags: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(change(copy.readUInt8(32)), 32);
  return copy;
}

function withCredentialId(length: number): Buffer {
  const credential = { ...CREDENTIAL, credentialId: Buffer.alloc(length, 2) };
  return writeAuthenticatorData({ ...HEADER, credential });
}

describe('parseAuthenticatorData', () => {
  it('reads the header of an assertion’s authenticator data', () => {
    expect(parseAuthenticatorData(ASSERTED)).toEqual({ ...HEADER, extensions: new Map() });
  });

  it('reads the signature counter as an unsigned number', () => {
    const bytes = writeAuthenticatorData({ ...HEADER, signCount: 0xffffffff });
    expect(parseAuthenticatorData(bytes).signCount).toBe(0xffffffff);
  });

  it('reads the extensions of authenticator data, including an empty map', () => {
    const some = writeAuthenticatorData({ ...HEADER, extensions: EXTENSIONS });
    expect(parseAuthenticatorData(some).extensions).toEqual(EXTENSIONS);
    expect(asserted(writeAuthenticatorData({ ...HEADER, extensions: new Map() }))).toBeUndefined();
  });

  it('accepts extensions of any name and number, but not of any depth', () => {
    const names = [
      '__proto__',
      'constructor',
      ...Array.from({ length: 10_000 }, (_, n) => `x${n}`),
    ];
    const extensions = new Map(names.map((name) => [name, 1] as const));
    const { extensions: read } = parseAuthenticatorData(
      writeAuthenticatorData({ ...HEADER, extensions }),
    );
    expect(read).toEqual(extensions);
    const deep = new Map([['x', new Raw(Buffer.alloc(1000, 0x81))]]);
    expect(asserted(writeAuthenticatorData({ ...HEADER, extensions: deep }))).toBe(
      'authenticator-data-malformed',
    );
  });

  it('accepts reserved flags in authenticator data', () => {
    expect(asserted(withFlags(ASSERTED, (flags) => flags | 0x22))).toBeUndefined();
  });

  const extended = withFlags(ASSERTED, (flags) => flags | FLAGS.ED);
  it.each([
    ['no bytes', Buffer.alloc(0)],
    ['1 byte', Buffer.alloc(1)],
    ['36 bytes', ASSERTED.subarray(0, 36)],
    ['ED without bytes', extended],
    ['ED with an array', Buffer.concat([extended, Buffer.of(0x80)])],
    ['ED with a cut map', Buffer.concat([extended, Buffer.of(0xa1, 0x61, 0x61)])],
    ['ED with a byte behind the map', Buffer.concat([extended, Buffer.of(0xa0, 0x00)])],
    ['extensions without ED', Buffer.concat([ASSERTED, Buffer.of(0xa0)])],
    ['an extension twice', Buffer.concat([extended, Buffer.from('a2616101616102', 'hex')])],
    ['an integer as extension name', Buffer.concat([extended, Buffer.of(0xa1, 1, 1)])],
    ['attested credential data', ATTESTED],
    ['AT without data', withFlags(ASSERTED, (flags) => flags | FLAGS.AT)],
    ['a CBOR byte string around it', encodeCbor(ASSERTED)],
  ])(
    'refuses authenticator data of an assertion with %s (WebAuthn L3 §7.2 step 7)',
    (_title, bytes) => {
      expect(asserted(bytes)).toBe('authenticator-data-malformed');
    },
  );
});

describe('parseAttestedAuthenticatorData', () => {
  it('reads the attested credential data of a registration', () => {
    const cosePublicKey = new Map([
      [1, 2],
      [3, -7],
    ]);
    expect(parseAttestedAuthenticatorData(ATTESTED)).toEqual({
      ...HEADER,
      flags: FLAGS.UP | FLAGS.AT,
      credential: { ...CREDENTIAL, cosePublicKey },
      extensions: new Map(),
    });
  });

  it('reads the extensions behind the attested credential data', () => {
    const bytes = writeAuthenticatorData({
      ...HEADER,
      credential: CREDENTIAL,
      extensions: EXTENSIONS,
    });
    expect(parseAttestedAuthenticatorData(bytes).extensions).toEqual(EXTENSIONS);
  });

  it('accepts a credential ID of 1 to 1023 bytes (WebAuthn L3 §7.1 step 25)', () => {
    expect([1, 1023].map(withCredentialId).map(attested)).toEqual([undefined, undefined]);
  });

  const claims = (length: number): Buffer => {
    const copy = Buffer.from(ATTESTED);
    copy.writeUInt16BE(length, 53);
    return copy;
  };
  it.each<[string, Failure, Buffer]>([
    ['no bytes', 'data-cut', Buffer.alloc(0)],
    ['36 bytes', 'data-cut', ATTESTED.subarray(0, 36)],
    ['AT not set and nothing behind the header', 'attestation-malformed', ASSERTED],
    [
      'AT not set and data behind the header',
      'data-left-over',
      withFlags(ATTESTED, () => FLAGS.UP),
    ],
    [
      'AT set and nothing behind the header',
      'aaguid-cut',
      withFlags(ASSERTED, (flags) => flags | FLAGS.AT),
    ],
    ['an AAGUID of 15 bytes', 'aaguid-cut', ATTESTED.subarray(0, 52)],
    ['nothing behind the AAGUID', 'data-cut', ATTESTED.subarray(0, 53)],
    ['no credential ID length', 'data-cut', ATTESTED.subarray(0, 54)],
    ['a truncated credential ID', 'data-cut', ATTESTED.subarray(0, 60)],
    ['a credential ID of 65535 bytes', 'data-cut', claims(0xffff)],
    ['a credential ID of no bytes', 'attestation-malformed', withCredentialId(0)],
    [
      'a credential ID of no bytes and nothing behind it',
      'attestation-malformed',
      claims(0).subarray(0, 55),
    ],
    [
      'a credential ID of 1024 bytes (WebAuthn L3 §7.1 step 25)',
      'attestation-malformed',
      withCredentialId(1024),
    ],
    ['no key', 'data-cut', ATTESTED.subarray(0, 75)],
    ['a truncated key', 'data-cut', ATTESTED.subarray(0, -1)],
    ['a byte behind the key', 'data-left-over', Buffer.concat([ATTESTED, Buffer.of(0)])],
    ['ED without bytes', 'data-cut', withFlags(ATTESTED, (flags) => flags | FLAGS.ED)],
    ['extensions without ED', 'data-left-over', Buffer.concat([ATTESTED, Buffer.of(0xa0)])],
  ])('refuses authenticator data of a registration with %s (%s)', (_title, failure, bytes) => {
    expect(attested(bytes)).toBe(failure);
  });

  it('returns authenticator data or a named failure for every flag byte', () => {
    const bodies = [
      ASSERTED,
      ATTESTED,
      Buffer.concat([ASSERTED, Buffer.of(0xa0)]),
      Buffer.concat([ATTESTED, Buffer.of(0xa0)]),
    ];
    const accepted = [...Array(256).keys()].flatMap((flags) =>
      bodies
        .filter((body) => attested(withFlags(body, () => flags)) === undefined)
        .map(() => flags & 0xc0),
    );
    expect(accepted.filter((flags) => flags === FLAGS.AT)).toHaveLength(64);
    expect(accepted.filter((flags) => flags === (FLAGS.AT | FLAGS.ED))).toHaveLength(64);
    expect(accepted).toHaveLength(128);
  });

  it('returns authenticator data or a named failure for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (tail) => {
        attested(Buffer.concat([withFlags(ASSERTED, () => 0xc1), tail]));
        asserted(Buffer.concat([withFlags(ASSERTED, () => 0x81), tail]));
      }),
    );
  });
});
