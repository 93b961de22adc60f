import {
  explicit,
  integer,
  nested,
  octetString,
  sequence,
} from '../../../packages/testing/src/der-writer.js';
import { readDer } from './der.js';

const bytes = (hex: string) => Buffer.from(hex, 'hex');

describe('readDer', () => {
  it.each<[string, boolean, string]>([
    ['an element', true, '0500'],
    ['an empty sequence', true, '3000'],
    ['a sequence of two', true, '300405000500'],
    ['no bytes', false, ''],
    ['a child that ends behind its parent', false, '3003050200'],
    ['two elements', false, '05000500'],
    ['a tag without a length', false, '05'],
    ['a tag of two bytes', true, '1f1f00'],
    ['a tag of three bytes', true, 'bf853e00'],
    ['the smallest tag of three bytes', true, '1f810000'],
    ['a tag of four bytes', false, '1f81808000'],
    ['a tag without its last byte', false, '1f818000'],
    ['a tag of several bytes that fits in one', false, '1f1e00'],
    ['a tag with a leading zero', false, '1f807f00'],
    ['a tag of several bytes without a length', false, '1f8100'],
    ['a truncated tag', false, '1f81'],
    ['a truncated length', false, '0482'],
    ['a length of four bytes', false, '048400000000'],
    ['a short length in the long form', false, '04810100'],
    ['a length with a leading zero', false, `04820080${'00'.repeat(128)}`],
    ['an indefinite length', false, '30800000'],
    ['an indefinite length before 128 bytes', false, `3080${'0500'.repeat(64)}`],
  ])('reads %s as DER: %s (X.690 §8.1)', (_title, expected, hex) => {
    expect(readDer(bytes(hex)) !== undefined).toBe(expected);
  });

  it('reads DER lengths of up to three bytes', () => {
    const lengths = [0x7f, 0x80, 0x100, 0x1_0000];
    const read = lengths.map(
      (length) => readDer(octetString(Buffer.alloc(length)))?.content.length,
    );
    expect(read).toEqual(lengths);
  });

  it('reads the contents of constructed DER elements but not of primitive ones', () => {
    const inner = explicit(702, integer(5));
    expect(readDer(sequence(inner, octetString(integer(5))))).toMatchObject({
      classAndForm: 0x20,
      number: 16,
      elements: [
        {
          classAndForm: 0xa0,
          number: 702,
          elements: [{ classAndForm: 0, number: 2, content: Buffer.of(5) }],
        },
        { classAndForm: 0, number: 4, content: integer(5), elements: [] },
      ],
    });
  });

  it('accepts 24 levels of DER nesting and refuses 25', () => {
    const read = [24, 25].map((depth) => readDer(nested(depth)) !== undefined);
    expect(read).toEqual([true, false]);
  });
});
