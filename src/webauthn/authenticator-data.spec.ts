import fc from 'fast-check';
import { type CborInput, encodeCbor, Raw } from '../../test/support/authenticator/cbor-writer.js';
import { failureOf } from '../../test/support/authenticator/failure-of.js';
import {
  FLAGS,
  sha256,
  writeAuthenticatorData,
} from '../../test/support/authenticator/structures.js';
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

describe('parseAuthenticatorData, of an assertion', () => {
  it('reads the header', () => {
    expect(parseAuthenticatorData(ASSERTED)).toEqual({ ...HEADER, extensions: new Map() });
  });

  it('reads the counter as unsigned (D31)', () => {
    const bytes = writeAuthenticatorData({ ...HEADER, signCount: 0xffffffff });
    expect(parseAuthenticatorData(bytes).signCount).toBe(0xffffffff);
  });

  it('reads extensions, including an empty map (D23)', () => {
    const some = writeAuthenticatorData({ ...HEADER, extensions: EXTENSIONS });
    expect(parseAuthenticatorData(some).extensions).toEqual(EXTENSIONS);
    expect(asserted(writeAuthenticatorData({ ...HEADER, extensions: new Map() }))).toBeUndefined();
  });

  it('accepts extensions of any name and number, but not of any depth (D25)', () => {
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

  it('accepts reserved flags (D12)', () => {
    expect(asserted(withFlags(ASSERTED, (flags) => flags | 0x22))).toBeUndefined();
  });

  const extended = withFlags(ASSERTED, (flags) => flags | FLAGS.ED);
  it.each([
    ['nothing (D01)', Buffer.alloc(0)],
    ['1 byte (D01)', Buffer.alloc(1)],
    ['36 bytes (D01)', ASSERTED.subarray(0, 36)],
    ['ED without bytes (D22)', extended],
    ['ED with an array (D22)', Buffer.concat([extended, Buffer.of(0x80)])],
    ['ED with a cut map (D22)', Buffer.concat([extended, Buffer.of(0xa1, 0x61, 0x61)])],
    ['ED with a byte behind the map (D22)', Buffer.concat([extended, Buffer.of(0xa0, 0x00)])],
    ['extensions without ED (D24)', Buffer.concat([ASSERTED, Buffer.of(0xa0)])],
    ['an extension twice (D25)', Buffer.concat([extended, Buffer.from('a2616101616102', 'hex')])],
    ['an integer key (D25)', Buffer.concat([extended, Buffer.of(0xa1, 1, 1)])],
    ['attested credential data (D26)', ATTESTED],
    ['AT without data (D26)', withFlags(ASSERTED, (flags) => flags | FLAGS.AT)],
    ['wrapped as a byte string (D36)', encodeCbor(ASSERTED)],
  ])('%s is refused', (_title, bytes) => {
    expect(asserted(bytes)).toBe('authenticator-data-malformed');
  });
});

describe('parseAttestedAuthenticatorData, of a registration', () => {
  it('reads the attested credential data', () => {
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

  it('Resp-3 P-1: reads the extensions that follow', () => {
    const bytes = writeAuthenticatorData({
      ...HEADER,
      credential: CREDENTIAL,
      extensions: EXTENSIONS,
    });
    expect(parseAttestedAuthenticatorData(bytes).extensions).toEqual(EXTENSIONS);
  });

  it('accepts a credential ID of 1 to 1023 bytes (D18)', () => {
    expect([1, 1023].map(withCredentialId).map(attested)).toEqual([undefined, undefined]);
  });

  const claims = (length: number): Buffer => {
    const copy = Buffer.from(ATTESTED);
    copy.writeUInt16BE(length, 53);
    return copy;
  };
  it.each<[string, Failure, Buffer]>([
    ['nothing (D01)', 'data-cut', Buffer.alloc(0)],
    ['36 bytes (D01)', 'data-cut', ATTESTED.subarray(0, 36)],
    ['AT not set, nothing behind (D02)', 'attestation-malformed', ASSERTED],
    ['AT not set, data behind (D14)', 'data-left-over', withFlags(ATTESTED, () => FLAGS.UP)],
    [
      'AT set, nothing behind (D15)',
      'aaguid-cut',
      withFlags(ASSERTED, (flags) => flags | FLAGS.AT),
    ],
    ['an AAGUID of 15 bytes (D15)', 'aaguid-cut', ATTESTED.subarray(0, 52)],
    ['nothing behind the AAGUID (D16)', 'data-cut', ATTESTED.subarray(0, 53)],
    ['no credential ID length (D16)', 'data-cut', ATTESTED.subarray(0, 54)],
    ['cut inside the credential ID (D16)', 'data-cut', ATTESTED.subarray(0, 60)],
    ['a credential ID of 65535 bytes (D16)', 'data-cut', claims(0xffff)],
    ['a credential ID of no bytes (D17)', 'attestation-malformed', withCredentialId(0)],
    ['and nothing behind it (D17)', 'attestation-malformed', claims(0).subarray(0, 55)],
    ['a credential ID of 1024 bytes (D19)', 'attestation-malformed', withCredentialId(1024)],
    ['no key (D20)', 'data-cut', ATTESTED.subarray(0, 75)],
    ['a cut key (D20)', 'data-cut', ATTESTED.subarray(0, -1)],
    ['a byte behind the key (D21)', 'data-left-over', Buffer.concat([ATTESTED, Buffer.of(0)])],
    ['ED without bytes (D22)', 'data-cut', withFlags(ATTESTED, (flags) => flags | FLAGS.ED)],
    ['extensions without ED (D24)', 'data-left-over', Buffer.concat([ATTESTED, Buffer.of(0xa0)])],
  ])('%s is refused: %s', (_title, failure, bytes) => {
    expect(attested(bytes)).toBe(failure);
  });

  it('returns data or a named failure for every flag byte (D13)', () => {
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

  it('returns data or a named failure for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (tail) => {
        attested(Buffer.concat([withFlags(ASSERTED, () => 0xc1), tail]));
        asserted(Buffer.concat([withFlags(ASSERTED, () => 0x81), tail]));
      }),
    );
  });
});
