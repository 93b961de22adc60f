import { constants, createPublicKey, createSign, publicEncrypt, verify } from 'node:crypto';
import { type CborInput, encodeCbor } from '../../../packages/testing/src/cbor-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import {
  ALG,
  coseMembers,
  createKeyPair,
  generateRsaKey,
  type KeyPair,
  ML_DSA,
  RS1,
  signWith,
} from '../../../packages/testing/src/key-pair.js';
import { decodeCbor } from '../cbor.js';
import { signatureAlgorithm, supportedAlgorithms } from './algorithms.js';
import { acceptDecodedKey, importCoseKey, readCoseKey, VerificationKey } from './cose-key.js';

type Members = Map<number | string, CborInput>;
const DATA = Buffer.from('what is signed');

/** The prime of P-256 (FIPS 186-4 §D.1.2.3), and the y of the point with x = 5: a root of x³ - 3x + b. */
const P256_PRIME = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const Y_AT_5 = 0x459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbccn;

describe('importCoseKey', () => {
  it.each(Object.entries(ALG))(
    'a key of algorithm %s verifies only what it signed',
    (_name, alg) => {
      const pair = createKeyPair(alg);
      const bytes = encodeCbor(coseMembers(pair));
      const key = importCoseKey(bytes);
      const signature = signWith(pair, DATA);
      expect(key.alg).toBe(alg);
      expect(key.verify(DATA, signature)).toBe(true);
      const accepted = acceptDecodedKey(readCoseKey(decodeCbor(bytes)));
      expect(accepted.verify(DATA, signature)).toBe(true);
      expect(accepted.key.equals(key.key)).toBe(true);
      expect(key.verify(Buffer.from('something else'), signature)).toBe(false);
      expect(key.verify(DATA, signature.subarray(1))).toBe(false);
      expect(key.verify(DATA, Buffer.concat([signature, Buffer.of(0)]))).toBe(false);
      expect(key.verify(DATA, Buffer.alloc(0))).toBe(false);
    },
  );

  it.each([ALG.PS256, ALG.RS256])(
    'keeps the leading zeros of a signature of algorithm %d (RFC 8017 §8.1.2, §8.2.2)',
    (alg) => {
      const pair = { alg, ...generateRsaKey(1024) };
      const algorithm = signatureAlgorithm(alg);
      const key = algorithm && new VerificationKey(algorithm, pair.publicKey);
      const { data, signature } = signedWithZero(pair);
      expect(key?.verify(data, signature)).toBe(true);
      expect(key?.verify(data, signature.subarray(1))).toBe(false);
    },
  );

  it.each(Object.entries(ML_DSA))(
    'verifies %s if the runtime supports it, and refuses keys of other lengths',
    (_name, alg) => {
      const cose = (pub: number) =>
        new Map<number, CborInput>([
          [1, 7],
          [3, alg],
          [-1, Buffer.alloc(pub, 1)],
        ]);
      const length = { [-48]: 1312, [-49]: 1952, [-50]: 2592 }[alg] ?? 0;
      if (!supportedAlgorithms().includes(alg)) {
        expect(refusal(cose(length))).toBe('key-not-acceptable');
        return;
      }
      const pair = createKeyPair(alg);
      const key = importCoseKey(encodeCbor(coseMembers(pair)));
      const signature = signWith(pair, DATA);
      expect(key.verify(DATA, signature)).toBe(true);
      expect(key.verify(Buffer.from('something else'), signature)).toBe(false);
      expect(refusal(cose(length))).toBeUndefined();
      expect(refusal(cose(length - 1))).toBe('key-not-acceptable');
      expect(refusal(cose(length).set(-2, Buffer.alloc(32)))).toBe('key-not-acceptable');
      expect(refusal(cose(length).set(1, 2))).toBe('key-not-acceptable');
      expect(refusal(cose(length).set(-1, 'text'))).toBe('key-not-acceptable');
    },
  );

  it('accepts an RS1 key only on request', () => {
    const pair = createKeyPair(RS1);
    const bytes = encodeCbor(coseMembers(pair));
    expect(failureOf(() => importCoseKey(bytes))).toBe('key-not-acceptable');
    const key = importCoseKey(bytes, { rs1: true });
    expect(key.verify(DATA, signWith(pair, DATA))).toBe(true);
    expect(supportedAlgorithms()).not.toContain(RS1);
    const other = encodeCbor(membersOf(ALG.ES256));
    expect(importCoseKey(other, { rs1: true }).alg).toBe(ALG.ES256);
  });

  it('supports the documented algorithms, each number once', () => {
    const supported = supportedAlgorithms();
    expect(supported).toEqual(
      expect.arrayContaining([-7, -8, -35, -36, -37, -38, -39, -257, -258, -259]),
    );
    expect(new Set(supported).size).toBe(supported.length);
  });

  it.each([
    [-9, ALG.ES256],
    [-51, ALG.ES384],
    [-52, ALG.ES512],
    [-19, ALG.EdDSA],
  ])('reads the fully-specified algorithm %d (RFC 9864)', (alg, scheme) => {
    const pair = createKeyPair(scheme);
    const key = importCoseKey(encodeCbor(coseMembers({ ...pair, alg })));
    expect(key.verify(DATA, signWith(pair, DATA))).toBe(true);
  });

  it('ignores unknown labels of a COSE key', () => {
    expect(refusal(changed(ALG.ES256, 99, 'x'))).toBeUndefined();
  });

  it.each<[string, CborInput]>([
    ['kty missing', changed(ALG.ES256, 1, undefined)],
    ['kty 0', changed(ALG.ES256, 1, 0)],
    ['kty as text', changed(ALG.ES256, 1, 'EC2')],
    ['alg missing', changed(ALG.ES256, 3, undefined)],
    ['alg 0', changed(ALG.ES256, 3, 0)],
    ['alg as text', changed(ALG.ES256, 3, 'ES256')],
    ['alg RS1', changed(ALG.RS256, 3, -65535)],
    ['alg HS256', changed(ALG.ES256, 3, 5)],
    ['ES256 with a P-384 key', changed(ALG.ES384, 3, ALG.ES256)],
    ['ES384 with a P-256 key', changed(ALG.ES256, 3, ALG.ES384)],
    ['ES256 on secp256k1', changed(ALG.ES256, -1, 8)],
    ['crv missing', changed(ALG.ES256, -1, undefined)],
    ['crv as text', changed(ALG.ES256, -1, 'P-256')],
    ['ES256 with an OKP key', changed(ALG.EdDSA, 3, ALG.ES256)],
    ['EdDSA with an EC2 key', changed(ALG.ES256, 3, ALG.EdDSA)],
    ['ES256 with an RSA key', changed(ALG.RS256, 3, ALG.ES256)],
    ['EdDSA on X25519', changed(ALG.EdDSA, -1, 4)],
    ['EdDSA on Ed448', changed(ALG.Ed448, 3, ALG.EdDSA)],
    ['x of 31 bytes', changed(ALG.ES256, -2, Buffer.alloc(31, 1))],
    ['x of no bytes', changed(ALG.ES256, -2, Buffer.alloc(0))],
    ['y missing', changed(ALG.ES256, -3, undefined)],
    ['y as a sign', changed(ALG.ES256, -3, true)],
    ['a point off the curve', changed(ALG.ES256, -3, Buffer.alloc(32, 1))],
    ['x beyond p', changed(ALG.ES256, -2, Buffer.alloc(32, 0xff))],
    ['a point off P-384', changed(ALG.ES384, -3, Buffer.alloc(48, 1))],
    ['a point off P-521', changed(ALG.ES512, -3, Buffer.alloc(66, 1))],
    ['a point off secp256k1', changed(ALG.ES256K, -3, Buffer.alloc(32, 1))],
    ['the point without coordinates as zeros', pointOfP256(0n, 0n)],
    ['Ed25519 of 31 bytes', changed(ALG.EdDSA, -2, Buffer.alloc(31, 3))],
    [
      'Ed25519 of no point',
      changed(ALG.EdDSA, -2, Buffer.concat([Buffer.of(2), Buffer.alloc(31)])),
    ],
    ['n missing', changed(ALG.RS256, -1, undefined)],
    ['n empty', changed(ALG.RS256, -1, Buffer.alloc(0))],
    ['n zero', changed(ALG.RS256, -1, Buffer.alloc(256))],
    ['n even', changed(ALG.RS256, -1, Buffer.alloc(256, 0xfe))],
    ['n of 512 bits', changed(ALG.RS256, -1, modulus(512))],
    ['n of 1024 bits', changed(ALG.RS256, -1, modulus(1024))],
    ['n of 2047 bits', changed(ALG.RS256, -1, modulus(2047))],
    ['n of 8193 bits', changed(ALG.RS256, -1, modulus(8193))],
    ['n of 65,536 bits', changed(ALG.RS256, -1, modulus(65_536))],
    ['e missing', changed(ALG.RS256, -2, undefined)],
    ['e empty', changed(ALG.RS256, -2, Buffer.alloc(0))],
    ['e = 0', changed(ALG.RS256, -2, Buffer.of(0))],
    ['e = 3', changed(ALG.RS256, -2, Buffer.of(3))],
    ['e even', changed(ALG.RS256, -2, Buffer.of(1, 0, 2))],
    ['e of 9 bytes', changed(ALG.RS256, -2, Buffer.alloc(9, 1))],
    ['e with a leading zero', changed(ALG.RS256, -2, Buffer.of(0, 1, 0, 1))],
    ['d in EC2', changed(ALG.ES256, -4, Buffer.alloc(32, 1))],
    ['d in OKP', changed(ALG.EdDSA, -4, Buffer.alloc(32, 1))],
    ['d in RSA', changed(ALG.RS256, -3, Buffer.alloc(256, 1))],
    ['an array in its place', []],
    ['10,000 labels', new Map([...Array(10_000).keys()].map((label) => [label, 0]))],
  ])('refuses a COSE key with %s', (_title, members) => {
    expect(refusal(members)).toBe('key-not-acceptable');
  });

  it('accepts a point with a small coordinate, but not the same coordinate plus p', () => {
    expect(refusal(pointOfP256(5n, Y_AT_5))).toBeUndefined();
    expect(refusal(pointOfP256(P256_PRIME + 5n, Y_AT_5))).toBe('key-not-acceptable');
  });

  it('refuses coordinates with an additional leading zero', () => {
    for (const label of [-2, -3]) {
      const members = membersOf(ALG.ES256);
      members.set(label, Buffer.concat([Buffer.of(0), bytesOf(members, label)]));
      expect(refusal(members)).toBe('key-not-acceptable');
    }
  });

  it('refuses an RSA modulus with a leading zero', () => {
    const members = membersOf(ALG.RS256);
    members.set(-1, Buffer.concat([Buffer.of(0), bytesOf(members, -1)]));
    expect(refusal(members)).toBe('key-not-acceptable');
  });

  it('accepts an RSA modulus of 8192 bits', () => {
    expect(refusal(changed(ALG.RS256, -1, modulus(8192)))).toBeUndefined();
  });

  it('refuses a COSE key with text labels in place of integers', () => {
    const members = new Map<number | string, CborInput>(
      [...membersOf(ALG.ES256)].map(([label, value]) => [String(label), value]),
    );
    expect(refusal(members)).toBe('key-not-acceptable');
  });

  it.each(['', 'ff', 'a0', 'a1', 'a10326ff'])('refuses the bytes %j as a COSE key', (text) => {
    expect(failureOf(() => importCoseKey(Buffer.from(text, 'hex')))).toBe('key-not-acceptable');
  });

  it('refuses e = 1, with which a signature made without a key verifies', () => {
    const { publicKey, privateKey } = generateRsaKey();
    const { n = '' } = publicKey.export({ format: 'jwk' });
    const weak = createPublicKey({ key: { kty: 'RSA', n, e: 'AQ' }, format: 'jwk' });
    const signature = createSign('sha256').update(DATA).sign(privateKey);
    // The encoded message itself is the signature when e is 1: recover it with the public key.
    const encoded = publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, signature);
    const members = new Map<number, CborInput>([
      [1, 3],
      [3, ALG.RS256],
      [-1, Buffer.from(n, 'base64url')],
      [-2, Buffer.of(1)],
    ]);
    expect(verify('sha256', DATA, weak, encoded)).toBe(true);
    expect(refusal(members)).toBe('key-not-acceptable');
  });
});

function membersOf(alg: number): Members {
  return new Map<number | string, CborInput>(coseMembers(createKeyPair(alg)));
}

/** The failure of importing a key, and of accepting it without an import, which must be the same. */
function refusal(members: CborInput): string | undefined {
  const bytes = encodeCbor(members);
  const refused = failureOf(() => importCoseKey(bytes));
  expect(failureOf(() => acceptDecodedKey(readCoseKey(decodeCbor(bytes))))).toBe(refused);
  return refused;
}

/** The key of an algorithm with one label changed; `undefined` removes it. */
function changed(alg: number, label: number | string, value: CborInput | undefined): Members {
  const members = membersOf(alg);
  if (value === undefined) members.delete(label);
  else members.set(label, value);
  return members;
}

function bytesOf(members: Members, label: number): Buffer {
  const value = members.get(label);
  if (!Buffer.isBuffer(value)) throw new Error(`label ${label} holds no bytes`);
  return value;
}

function pointOfP256(x: bigint, y: bigint): Members {
  const [first, second] = [x, y].map((n) => Buffer.from(n.toString(16).padStart(64, '0'), 'hex'));
  const members = changed(ALG.ES256, -2, first);
  return members.set(-3, second ?? '');
}

/** Data whose signature begins with a zero byte, as one in 256 does. */
function signedWithZero(pair: KeyPair): { data: Buffer; signature: Buffer } {
  for (let count = 0; ; count++) {
    const data = Buffer.from(`what is signed, ${count}`);
    const signature = signWith(pair, data);
    if (signature[0] === 0) return { data, signature };
  }
}

function modulus(bits: number): Buffer {
  const n = Buffer.alloc(Math.ceil(bits / 8), 0xff);
  n.writeUInt8(0xff >> ((8 - (bits % 8)) % 8), 0);
  return n;
}
