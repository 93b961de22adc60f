import * as der from '../authenticator/der-writer.js';

const KIB = 1024;
const ARRAY_OF_UINT32 = 0x9a;
const HEAD_BYTES = 5;

/** Heads of arrays one in another, each of as many elements as bytes follow (E16). */
function nestedHeads(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at + HEAD_BYTES <= size; at += HEAD_BYTES) {
    bytes.writeUInt8(ARRAY_OF_UINT32, at);
    bytes.writeUInt32BE(size - at - HEAD_BYTES, at + 1);
  }
  return bytes;
}

const hex = (text: string) => Buffer.from(text, 'hex');

/** Small inputs that make careless parsers take all memory, all stack or all time. */
export const BOMBS: Readonly<Record<string, () => Buffer>> = {
  'E14 100,000 nested arrays': () => Buffer.alloc(100_000, 0x81),
  'E14 100,000 nested maps': () => Buffer.alloc(200_000, hex('a100')),
  'E15 an array of 2^32-1 elements': () => hex('9affffffff'),
  'E15 an array of 2^64-1 elements': () => hex('9bffffffffffffffff'),
  'E15 a map of 2^64-1 elements': () => hex('bbffffffffffffffff'),
  'E15 a byte string of 2^64-1 bytes': () => hex('5bffffffffffffffff'),
  'E15 a text of 2^64-1 bytes': () => hex('7bffffffffffffffff'),
  'E16 nested heads of arrays, 20 KiB': () => nestedHeads(20 * KIB),
  'E16 nested heads of arrays, 40 KiB': () => nestedHeads(40 * KIB),
  'E16 nested heads of arrays, 160 KiB': () => nestedHeads(160 * KIB),
  'E22 10 MiB of no meaning': () => Buffer.alloc(10 * KIB * KIB, 0x5c),
  'CT02 10,000 nested sequences': () => der.nested(10_000),
  'CT02 a length beyond the end': () => hex('3084ffffffff30820102'),
  'CT02 an indefinite length': () => hex('30800000'),
  'CT02 10 MiB of zeros in a sequence': () => der.sequence(Buffer.alloc(10 * KIB * KIB)),
};
