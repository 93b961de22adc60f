import { element } from '../../../packages/testing/src/der-writer.js';
import {
  readBits,
  readBoolean,
  readBytes,
  readIfWellFormed,
  readInteger,
  readName,
  readOid,
  readSmallInteger,
  readTime,
} from './asn1.js';
import { type DerElement, readDer } from './der.js';

const read = <T>(reader: (element: DerElement | undefined) => T, bytes: string | Buffer) =>
  readIfWellFormed(() => reader(readDer(Buffer.from(bytes as string, 'hex'))));
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const timeOf = (tag: number, text: string) =>
  read(readTime, element(tag, Buffer.from(text, 'latin1')));
/** A name with one attribute, a common name. */
const textOf = (tag: number, hex: string) => {
  const value = element(tag, Buffer.from(hex, 'hex'));
  const attribute = element(0x30, Buffer.from('0603550403', 'hex'), value);
  return read(readName, element(0x30, element(0x31, attribute)))?.[0]?.[0]?.text;
};

describe('the values of ASN.1 in DER (X.690)', () => {
  it.each<[number, string, string | undefined]>([
    [UTC_TIME, '491231235959Z', '2049-12-31T23:59:59.000Z'],
    [UTC_TIME, '500101000000Z', '1950-01-01T00:00:00.000Z'],
    [UTC_TIME, '240229000000Z', '2024-02-29T00:00:00.000Z'],
    [GENERALIZED_TIME, '99991231235959Z', '9999-12-31T23:59:59.000Z'],
    [UTC_TIME, '230229000000Z', undefined],
    [UTC_TIME, '240231000000Z', undefined],
    [UTC_TIME, '241301000000Z', undefined],
    [UTC_TIME, '240001000000Z', undefined],
    [UTC_TIME, '240100000000Z', undefined],
    [UTC_TIME, '240101240000Z', undefined],
    [UTC_TIME, '240101006000Z', undefined],
    [UTC_TIME, '240101000060Z', undefined],
    [UTC_TIME, '2401010000Z', undefined],
    [UTC_TIME, '240101000000+0000', undefined],
    [UTC_TIME, '20240101000000Z', undefined],
    [GENERALIZED_TIME, '00240101000000Z', undefined],
    [GENERALIZED_TIME, '20240101000000.0Z', undefined],
    [GENERALIZED_TIME, '240101000000Z', undefined],
  ])('reads the time %i %s as %s', (tag, text, expected) => {
    const time = timeOf(tag, text);
    expect(time === undefined ? undefined : new Date(time).toISOString()).toBe(expected);
  });

  it.each<[string, (element: DerElement | undefined) => unknown, string, unknown]>([
    ['FALSE', readBoolean, '010100', false],
    ['TRUE', readBoolean, '0101ff', true],
    ['TRUE with one bit', readBoolean, '010101', undefined],
    ['a boolean of two bytes', readBoolean, '0102ffff', undefined],
    ['zero', readSmallInteger, '020100', 0],
    ['128', readSmallInteger, '02020080', 128],
    ['a negative number', readSmallInteger, '020180', undefined],
    ['a number with a leading zero', readSmallInteger, '02020001', undefined],
    ['a number without bytes', readSmallInteger, '0200', undefined],
    ['a serial number', readInteger, '020200ff', Buffer.from('00ff', 'hex')],
    ['a serial number with a leading zero', readInteger, '0202007f', undefined],
    ['a negative serial number with leading ones', readInteger, '0202ff80', undefined],
    ['bits', readBits, '03020780', Buffer.of(0x80)],
    ['no bits', readBits, '030100', Buffer.alloc(0)],
    ['bits whose unused ones are set', readBits, '03020781', undefined],
    ['more unused bits than a byte has', readBits, '03020800', undefined],
    ['unused bits without bytes', readBits, '030101', undefined],
    ['a bit string without a count', readBits, '0300', undefined],
    ['whole bytes', readBytes, '030200ff', Buffer.of(0xff)],
    ['bits in place of whole bytes', readBytes, '03020780', undefined],
    ['an identifier', readOid, '0603550403', '2.5.4.3'],
    ['an identifier with a leading zero in an arc', readOid, '060455048003', undefined],
    ['an identifier that ends inside an arc', readOid, '06025584', undefined],
    ['a name with an empty part', readName, '30023100', undefined],
    ['an empty name', readName, '3000', []],
  ])('reads %s', (_, reader, hex, expected) => {
    expect(read(reader, hex)).toEqual(expected);
  });

  it.each<[string, number, string, string | undefined]>([
    ['UTF-8', 0x0c, 'c3bc', 'ü'],
    ['UTF-8 that is none', 0x0c, 'fc', undefined],
    ['ASCII', 0x13, '41', 'A'],
    ['ASCII that is none', 0x13, 'fc', undefined],
    ['Latin-1', 0x14, 'fc', 'ü'],
    ['UCS-2', 0x1e, '00fc', 'ü'],
    ['UCS-2 with half a character', 0x1e, '00fc00', undefined],
    ['another type', 0x04, '41', ''],
  ])('reads a name in %s', (_, tag, hex, expected) => {
    expect(textOf(tag, hex)).toBe(expected);
  });
});
