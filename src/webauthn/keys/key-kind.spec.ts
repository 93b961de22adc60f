import type { CborValue } from '../cbor.js';
import {
  ML_DSA_44,
  ML_DSA_65,
  ML_DSA_87,
  OKP_ED25519,
  OKP_ED448,
  P256,
  P384,
  RSA,
  SECP256K1,
} from './key-kind.js';

const cose = (members: Record<number, CborValue>) =>
  new Map(Object.entries(members).map(([label, value]) => [Number(label), value]));

describe('kinds of keys', () => {
  it('names every private label of an RSA key and no public one (RFC 8230 §4)', () => {
    expect(RSA.privateLabels).toEqual([-3, -4, -5, -6, -7, -8, -9, -10, -11, -12]);
    expect([P256, OKP_ED25519].map(({ privateLabels }) => privateLabels)).toEqual([[-4], [-4]]);
    expect(ML_DSA_44.privateLabels).toEqual([-2]);
  });

  it.each([
    [P256, { kty: 'EC', crv: 'P-256' }],
    [P384, { kty: 'EC', crv: 'P-384' }],
    [SECP256K1, { kty: 'EC', crv: 'secp256k1' }],
    [OKP_ED25519, { kty: 'OKP', crv: 'Ed25519' }],
    [OKP_ED448, { kty: 'OKP', crv: 'Ed448' }],
    [RSA, { kty: 'RSA' }],
    [ML_DSA_65, { kty: 'AKP', alg: 'ML-DSA-65' }],
  ])('determines the kind of a key by type and curve: %#', (kind, jwk) => {
    expect(kind.matches(jwk)).toBe(true);
    expect(kind.matches({ ...jwk, kty: 'oct' })).toBe(false);
    if ('crv' in jwk) expect(kind.matches({ ...jwk, crv: 'P-521' })).toBe(false);
    if ('alg' in jwk) expect(kind.matches({ ...jwk, alg: 'ML-DSA-44' })).toBe(false);
  });

  it.each([
    [ML_DSA_44, 1312],
    [ML_DSA_65, 1952],
    [ML_DSA_87, 2592],
  ])('accepts an ML-DSA key only of its exact length: %#', (kind, size) => {
    const jwkOf = (length: number) => kind.toJwk(cose({ [-1]: Buffer.alloc(length, 1) })) ?? {};
    expect(kind.sound(jwkOf(size))).toBe(true);
    expect(kind.sound(jwkOf(size - 1))).toBe(false);
    expect(kind.sound(jwkOf(size + 1))).toBe(false);
    expect(kind.toJwk(cose({ [-1]: 'text' }))).toBeUndefined();
    expect(kind.toJwk(cose({}))).toBeUndefined();
  });

  it.each([
    ['1 byte', '03', false],
    ['65537', '010001', true],
    ['4 bytes', '01000001', true],
    ['an even number', '010002', false],
    ['a leading zero', '00010001', false],
    ['5 bytes', '0100000001', false],
    ['65535', 'ffff', false],
  ])('evaluates an RSA exponent of %s: %#', (_, e, sound) => {
    const n = Buffer.alloc(256, 0xff);
    const jwk = RSA.toJwk(cose({ [-1]: n, [-2]: Buffer.from(e, 'hex') })) ?? {};
    expect(RSA.sound(jwk)).toBe(sound);
  });
});
