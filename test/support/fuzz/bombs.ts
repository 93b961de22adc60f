import * as der from '../../../packages/testing/src/der-writer.js';

const KIB = 1024;
const ARRAY_OF_UINT32 = 0x9a;
const HEAD_BYTES = 5;

/** Nested array heads, each with as many elements as bytes follow. */
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
  '100,000 nested arrays': () => Buffer.alloc(100_000, 0x81),
  '100,000 nested maps': () => Buffer.alloc(200_000, hex('a100')),
  'an array of 2^32-1 elements': () => hex('9affffffff'),
  'an array of 2^64-1 elements': () => hex('9bffffffffffffffff'),
  'a map of 2^64-1 elements': () => hex('bbffffffffffffffff'),
  'a byte string of 2^64-1 bytes': () => hex('5bffffffffffffffff'),
  'a text of 2^64-1 bytes': () => hex('7bffffffffffffffff'),
  'nested heads of arrays, 20 KiB': () => nestedHeads(20 * KIB),
  'nested heads of arrays, 40 KiB': () => nestedHeads(40 * KIB),
  'nested heads of arrays, 160 KiB': () => nestedHeads(160 * KIB),
  '10 MiB of one byte': () => Buffer.alloc(10 * KIB * KIB, 0x5c),
  '10,000 nested sequences': () => der.nested(10_000),
  'a length beyond the end': () => hex('3084ffffffff30820102'),
  'an indefinite length': () => hex('30800000'),
  '10 MiB of zeros in a sequence': () => der.sequence(Buffer.alloc(10 * KIB * KIB)),
};
