import fc from 'fast-check';
import { type CborInput, encodeCbor } from '../../packages/testing/src/cbor-writer.js';
import { CborError, type CborFault, type CborValue, decodeCbor, decodeFirstCbor } from './cbor.js';

function faultOf(bytes: Buffer): CborFault | undefined {
  try {
    decodeCbor(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof CborError) return error.fault;
    throw error;
  }
}

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const key = fc.oneof(fc.integer(), fc.string({ unit: 'grapheme', maxLength: 30 }));
const leaf = fc.oneof(
  fc.integer(),
  fc.string({ unit: 'grapheme' }),
  fc.boolean(),
  bytes,
  fc.constant(null),
);
const item: fc.Arbitrary<CborInput & CborValue> = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 30 }),
  fc.uniqueArray(fc.tuple(key, leaf), { selector: ([name]) => name }).map((list) => new Map(list)),
);

describe('decodeCbor', () => {
  it('decodes CBOR by an independent encoder', () => {
    fc.assert(
      fc.property(item, (value) => {
        expect(decodeCbor(encodeCbor(value))).toEqual(value);
      }),
    );
  });

  it('returns a value or a fault for arbitrary bytes and never reads beyond them', () => {
    fc.assert(
      fc.property(bytes, (input) => {
        const fault = faultOf(input);
        if (fault === undefined) expect(decodeFirstCbor(input, 0).end).toBe(input.length);
      }),
    );
  });

  it('reports every truncation of a CBOR item as truncated', () => {
    const whole = encodeCbor(
      new Map<string, CborInput>([
        ['a', [1, 300, 70_000]],
        ['b', Buffer.alloc(30)],
      ]),
    );
    const faults = Array.from({ length: whole.length }, (_, length) =>
      faultOf(whole.subarray(0, length)),
    );
    expect(new Set(faults)).toEqual(new Set(['cut']));
  });

  it('accepts CBOR map keys in any order', () => {
    const decoded = decodeCbor(hex('a2 03 26 01 02'));
    expect(decoded).toEqual(
      new Map([
        [3, -7],
        [1, 2],
      ]),
    );
  });

  it('distinguishes integer and text labels of a CBOR map', () => {
    expect(decodeCbor(hex('a2 03 01 6133 02'))).toEqual(
      new Map<number | string, number>([
        [3, 1],
        ['3', 2],
      ]),
    );
  });

  it.each<[string, CborFault, string]>([
    ['a trailing byte', 'left-over', '00 00'],
    ['a duplicate text key', 'malformed', 'a2 6161 01 6161 02'],
    ['a duplicate integer key', 'malformed', 'a2 03 26 03 27'],
    ['a byte string as key', 'malformed', 'a1 4161 01'],
    ['a boolean as key', 'malformed', 'a1 f5 01'],
    ['an indefinite map', 'malformed', 'bf ff'],
    ['an indefinite array', 'malformed', '9f ff'],
    ['an indefinite byte string', 'malformed', '5f 4100 ff'],
    ['an indefinite text', 'malformed', '7f 6161 ff'],
    ['a stray break', 'malformed', 'ff'],
    ['a tag', 'malformed', 'c0 6161'],
    ['the self-describing tag', 'malformed', 'd9d9f7 00'],
    ['undefined', 'malformed', 'f7'],
    ['a half float', 'malformed', 'f9 3c00'],
    ['a float', 'malformed', 'fa 3f800000'],
    ['a double, NaN', 'malformed', 'fb 7ff8000000000000'],
    ['simple(255)', 'malformed', 'f8 ff'],
    ['simple(0)', 'malformed', 'e0'],
    ['an integer in two bytes', 'malformed', '18 01'],
    ['an integer in three bytes', 'malformed', '19 00ff'],
    ['an integer in five bytes', 'malformed', '1a 0000ffff'],
    ['an integer in nine bytes', 'malformed', '1b 00000000ffffffff'],
    ['a length in three bytes', 'malformed', '59 0001 aa'],
    ['text that is not UTF-8', 'malformed', '62 c080'],
    ['a surrogate in UTF-8', 'malformed', '63 eda080'],
    ['an integer of 2^53', 'malformed', '1b 0020000000000000'],
    ['an integer of -2^64', 'malformed', '3b ffffffffffffffff'],
    ['a reserved length', 'malformed', '1c'],
    ['a length beyond the end', 'cut', '42 00'],
    ['fewer elements than announced, whatever they are', 'cut', '83 c0 00'],
    ['fewer pairs than announced, whatever they are', 'cut', 'a2 c0 00 00'],
  ])('refuses CBOR with %s (%s)', (_title, fault, input) => {
    expect(faultOf(hex(input))).toBe(fault);
  });

  it.each([0, 2, 23, 24, 28, 51, 105, 258, 57_344, 2 ** 32 - 1])(
    'refuses the CBOR tag %d without interpreting it',
    (tag) => {
      // A tag is encoded like an integer, with another major type.
      const head = encodeCbor(tag);
      head.writeUInt8(head.readUInt8(0) | 0xc0, 0);
      expect(faultOf(Buffer.concat([head, hex('82 01 02')]))).toBe('malformed');
    },
  );

  it('reads CBOR integers up to 2^53 − 1, of either sign', () => {
    expect(decodeCbor(hex('1b 001fffffffffffff'))).toBe(2 ** 53 - 1);
    expect(decodeCbor(hex('3b 001ffffffffffffe'))).toBe(1 - 2 ** 53);
    expect(decodeCbor(hex('1b 0000000100000002'))).toBe(2 ** 32 + 2);
  });

  it('refuses a CBOR count of more elements than there are bytes', () => {
    expect(() => decodeFirstCbor(hex('00 00 82 c0'), 2)).toThrow(
      expect.objectContaining({ fault: 'cut' }),
    );
  });

  it('accepts five levels of CBOR nesting and refuses six', () => {
    expect(faultOf(hex('81 81 81 81 81 00'))).toBeUndefined();
    expect(faultOf(hex('81 81 81 81 81 81 00'))).toBe('malformed');
  });
});

describe('CBOR bombs', () => {
  const header = (initial: number, count: number) => {
    const bytesOfHeader = Buffer.alloc(5);
    bytesOfHeader.writeUInt8(initial, 0);
    bytesOfHeader.writeUInt32BE(count, 1);
    return bytesOfHeader;
  };
  const chain = (length: number) =>
    Buffer.concat(
      Array.from({ length: length / 5 }, (_, index) =>
        header(0x9a, Math.max(0, length - 5 * index - 5)),
      ),
    );

  it.each<[string, Buffer]>([
    ['10,000 nested arrays', Buffer.alloc(10_000, 0x81)],
    ['100,000 nested arrays', Buffer.alloc(100_000, 0x81)],
    ['100,000 nested maps', Buffer.from('a100'.repeat(100_000), 'hex')],
    ['an array of 2^32 items', hex('9a ffffffff')],
    ['an array of 2^64 items', hex('9b ffffffffffffffff')],
    ['a map of 2^64 items', hex('bb ffffffffffffffff')],
    ['a map of 2^32 items', hex('ba ffffffff')],
    ['a byte string of 2^64 bytes', hex('5b ffffffffffffffff')],
    ['a text of 2^64 bytes', hex('7b ffffffffffffffff')],
    ['an array of 65,536 items that contains two', hex('9a 00010000 00 00')],
    ['20 KB of headers that claim all remaining bytes', chain(20_000)],
    ['40 KB of headers that claim all remaining bytes', chain(40_000)],
    ['160 KB of headers that claim all remaining bytes', chain(160_000)],
  ])('refuses a CBOR bomb of %s', (_title, bomb) => {
    expect(['cut', 'malformed']).toContain(faultOf(bomb));
  });

  it('decodes a CBOR array of 65,537 items', () => {
    const array = Buffer.concat([header(0x9a, 65_537), Buffer.alloc(65_537)]);
    expect(decodeCbor(array)).toHaveLength(65_537);
  });
});
