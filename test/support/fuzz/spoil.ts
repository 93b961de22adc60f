/** A whole number from 0 up to, not including, the bound. */
export type Random = (below: number) => number;

/** A small random number generator with a seed (mulberry32), so that every input can be reproduced. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Bytes with a meaning for parsers of CBOR, DER and TPM structures: heads, limits, signs. */
const SIGNIFICANT_BYTES = [
  0x00, 0x01, 0x7f, 0x80, 0x81, 0x84, 0x9b, 0xa0, 0xbf, 0xc0, 0xf6, 0xfb, 0xff,
];

type Change = (bytes: Buffer, at: number, random: Random) => Buffer;

const CHANGES: readonly Change[] = [
  (bytes, at, random) => replaced(bytes, at, random(256)),
  (bytes, at, random) => replaced(bytes, at, (bytes[at] ?? 0) ^ (1 << random(8))),
  (bytes, at, random) =>
    replaced(bytes, at, SIGNIFICANT_BYTES[random(SIGNIFICANT_BYTES.length)] ?? 0),
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at, random) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random(8))]),
  (bytes, at, random) => inserted(bytes, at, Buffer.alloc(random(16), random(256))),
  (bytes, at, random) => inserted(bytes, at, bytes.subarray(at, at + random(64))),
  (bytes, at) => inserted(bytes, at, Buffer.from('9bffffffffffffffff', 'hex')),
  (bytes, at) => inserted(bytes, at, Buffer.from('3084ffffffff', 'hex')),
];
const MAX_CHANGES = 4;
const MAX_RANDOM_BYTES = 200;
/** One input in this number is unrelated to the original. */
const RANDOM_SHARE = 10;

/** The original with a few changes, or occasionally random bytes. */
export function spoil(original: Buffer, random: Random): Buffer {
  if (random(RANDOM_SHARE) === 0) {
    return Buffer.from(Array.from({ length: random(MAX_RANDOM_BYTES) }, () => random(256)));
  }
  let bytes = original;
  for (let left = 1 + random(MAX_CHANGES); left > 0; left--) {
    const change = CHANGES[random(CHANGES.length)];
    bytes = change?.(bytes, random(bytes.length + 1), random) ?? bytes;
  }
  return bytes;
}

function replaced(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  if (at < copy.length) copy.writeUInt8(value & 0xff, at);
  return copy;
}

function inserted(bytes: Buffer, at: number, more: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
}
