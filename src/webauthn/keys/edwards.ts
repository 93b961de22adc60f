/** An Edwards curve a·x² + y² = 1 + d·x²·y² over the integers modulo p (RFC 8032 §5). */
export interface EdwardsCurve {
  readonly p: bigint;
  readonly a: bigint;
  readonly d: bigint;
  /** Length of an encoded point; the sign of x is the highest bit of the last byte. */
  readonly size: number;
  /** The y coordinate of each point of order 4 or 8 whose x is not 0: keys at points of small order are refused. */
  readonly smallOrderY: readonly bigint[];
}

const P25519 = 2n ** 255n - 19n;
const P448 = 2n ** 448n - 2n ** 224n - 1n;
/** One of the two y coordinates of the points of order 8 of Ed25519; the other is its negative. */
const ORDER_8_Y = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

export const ED25519: EdwardsCurve = {
  p: P25519,
  a: -1n,
  d: 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n,
  size: 32,
  smallOrderY: [0n, ORDER_8_Y, P25519 - ORDER_8_Y],
};

export const ED448: EdwardsCurve = {
  p: P448,
  a: 1n,
  d: P448 - 39081n,
  size: 57,
  smallOrderY: [0n],
};

/**
 * Whether the bytes encode a point that is acceptable as a public key: canonical, on the curve and not of small
 * order. Node imports any bytes of the right length, and a key of small order verifies one fixed signature for
 * every message.
 */
export function isSoundEdwardsPoint(bytes: Buffer, curve: EdwardsCurve): boolean {
  if (bytes.length !== curve.size) return false;
  const y = decodeY(bytes);
  if (y >= curve.p || curve.smallOrderY.includes(y)) return false;
  // x² = (y² − 1) / (d·y² − a), and u/v is a square exactly when u·v is one.
  const y2 = (y * y) % curve.p;
  return isSquare(((y2 - 1n) * (curve.d * y2 - curve.a)) % curve.p, curve.p);
}

function decodeY(bytes: Buffer): bigint {
  const bigEndian = Buffer.from(bytes).reverse();
  bigEndian.writeUInt8(bigEndian.readUInt8(0) & 0x7f, 0);
  return BigInt(`0x${bigEndian.toString('hex')}`);
}

/** Euler's criterion. Zero does not count as a square: the points with x = 0, y = ±1, have order 1 and 2. */
function isSquare(value: bigint, p: bigint): boolean {
  return power(value, (p - 1n) / 2n, p) === 1n;
}

function power(base: bigint, exponent: bigint, p: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % p;
    square = (square * square) % p;
  }
  return result;
}
