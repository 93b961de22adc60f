import { createHash, constants, privateEncrypt, sign } from 'node:crypto';
import { ORIGIN, registrationBody, signIn } from '../support/authenticator/ceremony.js';
import * as der from '../../packages/testing/src/der-writer.js';
import { encodeCbor } from '../../packages/testing/src/cbor-writer.js';
import { failureOf } from '../support/authenticator/failure-of.js';
import { ALG, coseMembers, createKeyPair, signWith } from '../../packages/testing/src/key-pair.js';
import { readAttestationObject } from '../../src/webauthn/attestation/attestation-object.js';
import { parseAuthentication } from '../../src/webauthn/authentication.js';
import { importCoseKey } from '../../src/webauthn/keys/cose-key.js';

/** Orders of the groups of P-256 and Ed25519. */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const ED25519_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const SIGNED = Buffer.from('authenticator data and the hash of the client data');

const ecKey = createKeyPair(ALG.ES256);
const edKey = createKeyPair(ALG.EdDSA);
const rsaKey = createKeyPair(ALG.RS256);
const keys = new Map([ecKey, edKey, rsaKey].map((pair) => [pair, verifierOf(pair)] as const));

function verifierOf(pair: ReturnType<typeof createKeyPair>) {
  return importCoseKey(encodeCbor(coseMembers(pair)));
}

const accepts = (pair: typeof ecKey, signature: Buffer, data = SIGNED) =>
  keys.get(pair)?.verify(data, signature);

const hexOf = (value: bigint, bytes: number) => value.toString(16).padStart(bytes * 2, '0');
const numberOf = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);

/** INTEGER in DER, of any number that is not negative. */
function integer(value: bigint): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return der.element(0x02, bytes.readUInt8(0) >= 0x80 ? Buffer.of(0) : Buffer.of(), bytes);
}

const ecdsa = (r: bigint, s: bigint) => der.sequence(integer(r), integer(s));

const raw = sign('sha256', SIGNED, { key: ecKey.privateKey, dsaEncoding: 'ieee-p1363' });
const r = numberOf(raw.subarray(0, 32));
const s = numberOf(raw.subarray(32));
const PAIR = Buffer.concat([integer(r), integer(s)]);

describe('ECDSA signatures', () => {
  it('accepts a genuine ECDSA signature', () => {
    expect(accepts(ecKey, ecdsa(r, s))).toBe(true);
  });

  it.each([
    ['a third INTEGER', der.sequence(integer(r), integer(s), integer(1n))],
    ['another byte inside the SEQUENCE', der.sequence(integer(r), integer(s), Buffer.of(0))],
    ['a length in long form', Buffer.concat([Buffer.of(0x30, 0x81, PAIR.length), PAIR])],
    ['an indefinite length', Buffer.concat([Buffer.of(0x30, 0x80), PAIR, Buffer.alloc(2)])],
    ['an INTEGER that is not minimal', der.sequence(padded(r), integer(s))],
    ['r + n', ecdsa(r + P256_ORDER, s)],
    ['s + n', ecdsa(r, s + P256_ORDER)],
    ['a huge r', ecdsa(r << 4096n, s)],
    ['a negative r', der.sequence(negative(r), integer(s))],
    ['r = 0', ecdsa(0n, s)],
    ['s = 0', ecdsa(r, 0n)],
    ['r = n', ecdsa(P256_ORDER, s)],
    ['no bytes', Buffer.alloc(0)],
    ['a SHA-384 digest', sign('sha384', SIGNED, ecKey.privateKey)],
    ['a SHA-1 digest', sign('sha1', SIGNED, ecKey.privateKey)],
  ])('refuses an ECDSA signature with %s', (_, signature) => {
    expect(accepts(ecKey, signature)).toBe(false);
  });

  it('accepts an ECDSA signature (r, n − s), as the standard does', () => {
    expect(accepts(ecKey, ecdsa(r, P256_ORDER - s))).toBe(true);
  });
});

describe('Ed25519 signatures', () => {
  const signature = signWith(edKey, SIGNED);
  const littleEndian = (value: bigint) => Buffer.from(hexOf(value, 32), 'hex').reverse();
  const scalar = numberOf(Buffer.from(signature.subarray(32)).reverse());
  const withScalar = (value: bigint) =>
    Buffer.concat([signature.subarray(0, 32), littleEndian(value)]);

  it.each([
    ['S + L', withScalar(scalar + ED25519_ORDER)],
    ['S = L', withScalar(ED25519_ORDER)],
    ['a byte too few', signature.subarray(0, 63)],
    ['a byte too many', Buffer.concat([signature, Buffer.of(0)])],
  ])('refuses an Ed25519 signature with %s', (_, changed) => {
    expect(accepts(edKey, signature)).toBe(true);
    expect(accepts(edKey, changed)).toBe(false);
  });
});

describe('RSASSA-PKCS1-v1_5 signatures', () => {
  const digest = createHash('sha256').update(SIGNED).digest();
  const SHA256 = '2.16.840.1.101.3.4.2.1';
  const NULL = der.element(0x05);
  const info = (oid: string, ...parameters: readonly Buffer[]) =>
    der.sequence(der.sequence(der.oid(oid), ...parameters), der.octetString(digest));
  const encrypt = (content: Buffer) =>
    privateEncrypt({ key: rsaKey.privateKey, padding: constants.RSA_PKCS1_PADDING }, content);

  it.each([
    ['another hash algorithm', encrypt(info('2.16.840.1.101.3.4.2.2', NULL))],
    ['no DigestInfo', encrypt(digest)],
    ['a byte behind the DigestInfo', encrypt(Buffer.concat([info(SHA256, NULL), Buffer.of(0)]))],
    [
      'PSS padding',
      sign('sha256', SIGNED, {
        key: rsaKey.privateKey,
        padding: constants.RSA_PKCS1_PSS_PADDING,
      }),
    ],
    ['a SHA-1 digest', sign('sha1', SIGNED, rsaKey.privateKey)],
  ])('refuses an RSASSA-PKCS1-v1_5 signature with %s', (_, signature) => {
    expect(accepts(rsaKey, encrypt(info(SHA256, NULL)))).toBe(true);
    expect(accepts(rsaKey, signature)).toBe(false);
  });
});

describe('the signed data', () => {
  it('refuses a signature of other authenticator data, of plain JSON or in another order', () => {
    const authenticatorData = Buffer.alloc(37, 1);
    const clientData = Buffer.from('{}');
    const hash = createHash('sha256').update(clientData).digest();
    const expected = Buffer.concat([authenticatorData, hash]);
    const others = [
      Buffer.concat([Buffer.alloc(37, 2), hash]),
      Buffer.concat([authenticatorData, clientData]),
      Buffer.concat([hash, authenticatorData]),
    ];
    expect(accepts(ecKey, signWith(ecKey, expected), expected)).toBe(true);
    expect(others.map((data) => accepts(ecKey, signWith(ecKey, data), expected))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('refuses the authenticator data of a registration in an assertion', () => {
    const { response } = registrationBody({ device: { attestation: 'packed-self' } });
    const object = Buffer.from(response.attestationObject, 'base64url');
    const { authData: authenticatorData } = readAttestationObject(object);
    const clientDataJSON = Buffer.from(response.clientDataJSON, 'base64url');
    const refusal = failureOf(() =>
      parseAuthentication({ clientDataJSON, authenticatorData, signature: Buffer.of(1) }),
    );
    expect(refusal).toBe('authenticator-data-malformed');
  });

  it('refuses an assertion with the RP ID hash of an AppID that was not requested', () => {
    const rpIdHash = createHash('sha256').update(`${ORIGIN}/appid.json`).digest();
    expect(failureOf(() => signIn({ tweaks: { rpIdHash } }))).toBe('rp-id-hash-mismatch');
  });
});

function padded(value: bigint): Buffer {
  return der.element(0x02, Buffer.from(`0000${hexOf(value, 32)}`, 'hex'));
}

function negative(value: bigint): Buffer {
  const bytes = Buffer.from(hexOf(value, 32), 'hex');
  return der.element(0x02, Buffer.of(bytes.readUInt8(0) | 0x80), bytes.subarray(1));
}
