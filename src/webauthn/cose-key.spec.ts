import { constants, createPublicKey, createSign, publicEncrypt, verify } from 'node:crypto';
import { type CborInput, encodeCbor } from '../../test/support/authenticator/cbor-writer.js';
import { failureOf } from '../../test/support/authenticator/failure-of.js';
import {
  ALG,
  coseMembers,
  createKeyPair,
  generateRsaKey,
  type KeyPair,
  ML_DSA,
  RS1,
  signWith,
} from '../../test/support/authenticator/key-pair.js';
import { signatureAlgorithm, supportedAlgorithms } from './algorithms.js';
import { importCoseKey, VerificationKey } from './cose-key.js';

type Members = Map<number | string, CborInput>;
const DATA = Buffer.from('what is signed');

function membersOf(alg: number): Members {
  return new Map<number | string, CborInput>(coseMembers(createKeyPair(alg)));
}

function refusal(members: CborInput): string | undefined {
  return failureOf(() => importCoseKey(encodeCbor(members)));
}

/** The key of an algorithm with one label changed; undefined takes it away. */
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

/** Data whose signature begins with a zero: one of 256 does. */
function signedWithZero(pair: KeyPair): { data: Buffer; signature: Buffer } {
  for (let count = 0; ; count++) {
    const data = Buffer.from(`what is signed, ${count}`);
    const signature = signWith(pair, data);
    if (signature[0] === 0) return { data, signature };
  }
}

const modulus = (bits: number): Buffer => {
  const n = Buffer.alloc(Math.ceil(bits / 8), 0xff);
  n.writeUInt8(0xff >> ((8 - (bits % 8)) % 8), 0);
  return n;
};

describe('importCoseKey', () => {
  it.each(Object.entries(ALG))(
    '%s: verifies what the key signed, and nothing else',
    (_name, alg) => {
      const pair = createKeyPair(alg);
      const key = importCoseKey(encodeCbor(coseMembers(pair)));
      const signature = signWith(pair, DATA);
      expect(key.alg).toBe(alg);
      expect(key.verify(DATA, signature)).toBe(true);
      expect(key.verify(Buffer.from('something else'), signature)).toBe(false);
      expect(key.verify(DATA, signature.subarray(1))).toBe(false);
      expect(key.verify(DATA, Buffer.concat([signature, Buffer.of(0)]))).toBe(false);
      expect(key.verify(DATA, Buffer.alloc(0))).toBe(false);
    },
  );

  it.each([ALG.PS256, ALG.RS256])(
    'RFC 8017 §8.1.2, §8.2.2: a signature keeps its leading zeros (%d)',
    (alg) => {
      const pair = { alg, ...generateRsaKey(1024) };
      const algorithm = signatureAlgorithm(alg);
      const key = algorithm && new VerificationKey(algorithm, pair.publicKey);
      const { data, signature } = signedWithZero(pair);
      expect(key?.verify(data, signature)).toBe(true);
      expect(key?.verify(data, signature.subarray(1))).toBe(false);
    },
  );

  it.each(Object.entries(ML_DSA))('%s: verifies where the runtime does', (_name, alg) => {
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
  });

  it('K04: takes RS1 only where it is asked for', () => {
    const pair = createKeyPair(RS1);
    const bytes = encodeCbor(coseMembers(pair));
    expect(failureOf(() => importCoseKey(bytes))).toBe('key-not-acceptable');
    const key = importCoseKey(bytes, { rs1: true });
    expect(key.verify(DATA, signWith(pair, DATA))).toBe(true);
    expect(supportedAlgorithms()).not.toContain(RS1);
    const other = encodeCbor(membersOf(ALG.ES256));
    expect(importCoseKey(other, { rs1: true }).alg).toBe(ALG.ES256);
  });

  it('supports what this project promises, each number once', () => {
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
  ])('RFC 9864: reads the fully-specified algorithm %d', (alg, scheme) => {
    const pair = createKeyPair(scheme);
    const key = importCoseKey(encodeCbor(coseMembers({ ...pair, alg })));
    expect(key.verify(DATA, signWith(pair, DATA))).toBe(true);
  });

  it('K23: ignores labels that it does not know', () => {
    expect(refusal(changed(ALG.ES256, 99, 'x'))).toBeUndefined();
  });

  it.each<[string, CborInput]>([
    ['K01: kty missing', changed(ALG.ES256, 1, undefined)],
    ['K01: kty 0', changed(ALG.ES256, 1, 0)],
    ['K01: kty as text', changed(ALG.ES256, 1, 'EC2')],
    ['K02: alg missing', changed(ALG.ES256, 3, undefined)],
    ['K02: alg 0', changed(ALG.ES256, 3, 0)],
    ['K02: alg as text', changed(ALG.ES256, 3, 'ES256')],
    ['K04: alg RS1', changed(ALG.RS256, 3, -65535)],
    ['K04: alg HS256', changed(ALG.ES256, 3, 5)],
    ['K05: ES256 with a P-384 key', changed(ALG.ES384, 3, ALG.ES256)],
    ['K05: ES384 with a P-256 key', changed(ALG.ES256, 3, ALG.ES384)],
    ['K05: ES256 on secp256k1', changed(ALG.ES256, -1, 8)],
    ['K06: crv missing', changed(ALG.ES256, -1, undefined)],
    ['K06: crv as text', changed(ALG.ES256, -1, 'P-256')],
    ['K07: ES256 with an OKP key', changed(ALG.EdDSA, 3, ALG.ES256)],
    ['K07: EdDSA with an EC2 key', changed(ALG.ES256, 3, ALG.EdDSA)],
    ['K07: ES256 with an RSA key', changed(ALG.RS256, 3, ALG.ES256)],
    ['K08: EdDSA on X25519', changed(ALG.EdDSA, -1, 4)],
    ['K08: EdDSA on Ed448', changed(ALG.Ed448, 3, ALG.EdDSA)],
    ['K09: x of 31 bytes', changed(ALG.ES256, -2, Buffer.alloc(31, 1))],
    ['K09: x of no bytes', changed(ALG.ES256, -2, Buffer.alloc(0))],
    ['K09: y missing', changed(ALG.ES256, -3, undefined)],
    ['K10: y as a sign', changed(ALG.ES256, -3, true)],
    ['K11: a point off the curve', changed(ALG.ES256, -3, Buffer.alloc(32, 1))],
    ['K11: x beyond p', changed(ALG.ES256, -2, Buffer.alloc(32, 0xff))],
    ['K12: Ed25519 of 31 bytes', changed(ALG.EdDSA, -2, Buffer.alloc(31, 3))],
    [
      'K13: Ed25519 of no point',
      changed(ALG.EdDSA, -2, Buffer.concat([Buffer.of(2), Buffer.alloc(31)])),
    ],
    ['K14: n missing', changed(ALG.RS256, -1, undefined)],
    ['K14: n empty', changed(ALG.RS256, -1, Buffer.alloc(0))],
    ['K14: n zero', changed(ALG.RS256, -1, Buffer.alloc(256))],
    ['K14: n even', changed(ALG.RS256, -1, Buffer.alloc(256, 0xfe))],
    ['K15: n of 512 bits', changed(ALG.RS256, -1, modulus(512))],
    ['K15: n of 1024 bits', changed(ALG.RS256, -1, modulus(1024))],
    ['K15: n of 2047 bits', changed(ALG.RS256, -1, modulus(2047))],
    ['K16: n of 8193 bits', changed(ALG.RS256, -1, modulus(8193))],
    ['K16: n of 65,536 bits', changed(ALG.RS256, -1, modulus(65_536))],
    ['K18: e missing', changed(ALG.RS256, -2, undefined)],
    ['K18: e empty', changed(ALG.RS256, -2, Buffer.alloc(0))],
    ['K18: e = 0', changed(ALG.RS256, -2, Buffer.of(0))],
    ['K18: e = 3', changed(ALG.RS256, -2, Buffer.of(3))],
    ['K18: e even', changed(ALG.RS256, -2, Buffer.of(1, 0, 2))],
    ['K18: e of 9 bytes', changed(ALG.RS256, -2, Buffer.alloc(9, 1))],
    ['K18: e with a leading zero', changed(ALG.RS256, -2, Buffer.of(0, 1, 0, 1))],
    ['K20: d in EC2', changed(ALG.ES256, -4, Buffer.alloc(32, 1))],
    ['K20: d in OKP', changed(ALG.EdDSA, -4, Buffer.alloc(32, 1))],
    ['K20: d in RSA', changed(ALG.RS256, -3, Buffer.alloc(256, 1))],
    ['K24: an array', []],
    ['K24: 10,000 labels', new Map([...Array(10_000).keys()].map((label) => [label, 0]))],
  ])('%s is refused', (_title, members) => {
    expect(refusal(members)).toBe('key-not-acceptable');
  });

  it('K09: refuses coordinates with a leading zero too many', () => {
    for (const label of [-2, -3]) {
      const members = membersOf(ALG.ES256);
      members.set(label, Buffer.concat([Buffer.of(0), bytesOf(members, label)]));
      expect(refusal(members)).toBe('key-not-acceptable');
    }
  });

  it('K14: refuses n with a leading zero', () => {
    const members = membersOf(ALG.RS256);
    members.set(-1, Buffer.concat([Buffer.of(0), bytesOf(members, -1)]));
    expect(refusal(members)).toBe('key-not-acceptable');
  });

  it('K16: takes n of 8192 bits', () => {
    expect(refusal(changed(ALG.RS256, -1, modulus(8192)))).toBeUndefined();
  });

  it('K22: does not take labels as text for labels', () => {
    const members = new Map<number | string, CborInput>(
      [...membersOf(ALG.ES256)].map(([label, value]) => [String(label), value]),
    );
    expect(refusal(members)).toBe('key-not-acceptable');
  });

  it.each(['', 'ff', 'a0', 'a1', 'a10326ff'])('E24: refuses the bytes %j', (text) => {
    expect(failureOf(() => importCoseKey(Buffer.from(text, 'hex')))).toBe('key-not-acceptable');
  });

  it('K19: refuses e = 1, with which the platform verifies a signature made without a key', () => {
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
