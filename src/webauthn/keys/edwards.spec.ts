import { generateKeys } from '../../../packages/testing/src/key-pair.js';
import { ED25519, ED448, isSoundEdwardsPoint } from './edwards.js';

function littleEndian(value: bigint, size: number, sign = 0): Buffer {
  const bytes = Buffer.from(value.toString(16).padStart(size * 2, '0'), 'hex').reverse();
  bytes.writeUInt8(bytes.readUInt8(size - 1) | (sign << 7), size - 1);
  return bytes;
}

function newPoint(type: 'ed25519' | 'ed448'): Buffer {
  const { publicKey } = generateKeys(type);
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
}

/** One of the two y coordinates of the points of order 8 of Ed25519. */
const ORDER_8_Y = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
/**
 * Encodings with the y of points of order 4, 1, 2 and 8 and either sign of x. The encodings for order 1 and 2,
 * whose x is 0, are not canonical with the sign set.
 */
const SMALL_25519 = [0n, 1n, ED25519.p - 1n, ORDER_8_Y, ED25519.p - ORDER_8_Y].flatMap((y) =>
  [0, 1].map((sign) => littleEndian(y, 32, sign)),
);
const SMALL_448 = [0n, 1n, ED448.p - 1n].flatMap((y) =>
  [0, 1].map((sign) => littleEndian(y, 57, sign)),
);

describe('isSoundEdwardsPoint', () => {
  it('accepts the Edwards points of generated keys', () => {
    for (let i = 0; i < 20; i++) {
      expect(isSoundEdwardsPoint(newPoint('ed25519'), ED25519)).toBe(true);
      expect(isSoundEdwardsPoint(newPoint('ed448'), ED448)).toBe(true);
    }
  });

  it('refuses every Edwards point of small order', () => {
    expect(SMALL_25519.filter((point) => isSoundEdwardsPoint(point, ED25519))).toEqual([]);
    expect(SMALL_448.filter((point) => isSoundEdwardsPoint(point, ED448))).toEqual([]);
  });

  it('refuses an Edwards point whose y is not below p', () => {
    const aliases = [0n, 1n, 2n, 3n, 4n, 18n].map((y) => littleEndian(ED25519.p + y, 32));
    expect(aliases.filter((point) => isSoundEdwardsPoint(point, ED25519))).toEqual([]);
    expect(isSoundEdwardsPoint(littleEndian(ED448.p + 3n, 57), ED448)).toBe(false);
  });

  it('refuses a y without a point on the Edwards curve', () => {
    const decodable = [...Array(200).keys()].filter((y) =>
      isSoundEdwardsPoint(littleEndian(BigInt(y), 32), ED25519),
    );
    expect(decodable).not.toContain(2);
    expect(decodable).toContain(3);
    expect(decodable.length).toBeGreaterThan(60);
    expect(decodable.length).toBeLessThan(140);
  });

  it.each([0, 31, 33])('refuses an Edwards point of %d bytes', (length) => {
    expect(isSoundEdwardsPoint(Buffer.alloc(length, 3), ED25519)).toBe(false);
  });
});
