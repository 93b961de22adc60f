import { isAscii, isUtf8 } from 'node:buffer';
import type { DerElement } from './der.js';

/** One relative distinguished name: usually one attribute, several if it is multi-valued. */
export type NamePart = readonly { readonly type: string; readonly text: string }[];

/** An extension of a certificate or a revocation list (RFC 5280 §4.2, §5.2). */
export interface Extension {
  readonly critical: boolean;
  readonly value: Buffer;
}

/** Form and number of the types that are read (X.690 §8). */
export const ASN1_TYPE = {
  boolean: [0x00, 1],
  integer: [0x00, 2],
  bitString: [0x00, 3],
  octetString: [0x00, 4],
  oid: [0x00, 6],
  enumerated: [0x00, 10],
  sequence: [0x20, 16],
  set: [0x20, 17],
} as const;
export const CONTEXT = 0xa0;
export const CONTEXT_PRIMITIVE = 0x80;
const UTC_TIME = 23;
const GENERALIZED_TIME = 24;
/** Universal types of strings: UTF8String; those of ASCII; TeletexString, which is read as Latin-1; BMPString. */
const UTF8_STRING = 12;
const ASCII_STRINGS: readonly number[] = [18, 19, 22, 26];
const TELETEX_STRING = 20;
const BMP_STRING = 30;
/** RFC 5280 §4.1.2.5: with seconds, in UTC, without fractions. */
const TIME = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;

type Plain = Omit<DerElement, 'elements'>;
type Type = readonly [classAndForm: number, number: number];

/** Thrown for malformed bytes; {@link readIfWellFormed} turns it into `undefined`. */
class Malformed extends Error {}

/** Reads a Name (RFC 5280 §4.1.2.4). Like all readers here, it throws errors that {@link readIfWellFormed} catches. */
export function readName(name: DerElement | undefined): readonly NamePart[] {
  return sequenceOf(name).map((part) =>
    nonEmpty(ensureType(part, ASN1_TYPE.set).elements).map((attribute) => {
      const [type, value, ...others] = sequenceOf(attribute);
      ensureDer(value !== undefined && others.length === 0);
      return { type: readOid(type), text: readText(value) };
    }),
  );
}

function nonEmpty<T>(elements: readonly T[]): readonly T[] {
  ensureDer(elements.length > 0);
  return elements;
}

/** The text of a value; empty if it is not text. */
function readText({ classAndForm, number, content }: DerElement): string {
  if (classAndForm !== 0) return '';
  if (number === UTF8_STRING) ensureDer(isUtf8(content));
  if (ASCII_STRINGS.includes(number)) ensureDer(isAscii(content));
  if (number === BMP_STRING) ensureDer(content.length % 2 === 0);
  if (number === BMP_STRING) return Buffer.from(content).swap16().toString('utf16le');
  if (number === UTF8_STRING) return content.toString('utf8');
  const isText = number === TELETEX_STRING || ASCII_STRINGS.includes(number);
  return isText ? content.toString('latin1') : '';
}

/** Reads a Time (RFC 5280 §4.1.2.5), in milliseconds since 1970. */
export function readTime(element: Plain | undefined): number {
  ensureDer(isTime(element));
  const { number, content } = element;
  const parts = TIME.exec(content.toString('latin1'));
  ensureDer(parts?.[1]?.length === (number === UTC_TIME ? 2 : 4));
  const [year = 0, month = 0, ...others] = parts.slice(1).map(Number);
  const century = number === UTC_TIME ? centuryOf(year) : 0;
  const time = Date.UTC(century + year, month - 1, ...others);
  // `Date.UTC` takes the 31st of February for a day in March.
  const digits = new Date(time).toISOString().replace(/[-T:]|\.000/g, '');
  ensureDer(digits.endsWith(parts[0]));
  return time;
}

/** Two-digit years from 50 on belong to the last century (RFC 5280 §4.1.2.5.1). */
const centuryOf = (year: number): number => (year < 50 ? 2000 : 1900);

/** Whether an element is a Time; its value is not read. */
export const isTime = (element: Plain | undefined): element is Plain =>
  element?.classAndForm === 0 &&
  (element.number === UTC_TIME || element.number === GENERALIZED_TIME);

export function readBoolean(element: Plain | undefined): boolean {
  const { content } = ensureType(element, ASN1_TYPE.boolean);
  // X.690 §11.1: all bits of TRUE are set.
  ensureDer(content.length === 1 && (content[0] === 0 || content[0] === 0xff));
  return content[0] !== 0;
}

/** Reads a non-negative INTEGER of at most six bytes, which a number represents exactly. */
export function readSmallInteger(element: Plain | undefined): number {
  const content = readInteger(element);
  ensureDer(content.length <= 6 && content.readInt8() >= 0);
  return content.readUIntBE(0, content.length);
}

/** The bytes of an INTEGER; fails if there are more of them than its value needs (X.690 §8.3.2). */
export function readInteger(element: Plain | undefined): Buffer {
  const { content } = ensureType(element, ASN1_TYPE.integer);
  const [first, second = 0] = content;
  ensureDer(first !== undefined);
  const isPadded = content.length > 1 && first === (second >= 0x80 ? 0xff : 0x00);
  ensureDer(!isPadded);
  return content;
}

/** The bytes of a BIT STRING; fails if an unused bit is set (X.690 §11.2.1). */
export function readBits(element: Plain | undefined): Buffer {
  const { content } = ensureType(element, ASN1_TYPE.bitString);
  const [unused] = content;
  const last = content.length > 1 ? (content.at(-1) ?? 0) : 0;
  ensureDer(unused !== undefined && unused <= (content.length > 1 ? 7 : 0));
  ensureDer((last & ((1 << unused) - 1)) === 0);
  return content.subarray(1);
}

/** The bytes of a BIT STRING that contains whole bytes. */
export function readBytes(element: Plain | undefined): Buffer {
  ensureDer(element?.content[0] === 0);
  return readBits(element);
}

/** Reads an OBJECT IDENTIFIER (X.690 §8.19), in dotted decimals. */
export function readOid(element: Plain | undefined): string {
  const { content } = ensureType(element, ASN1_TYPE.oid);
  const arcs: number[] = [];
  let arc = 0;
  for (const octet of content) {
    // X.690 §8.19.2: an arc has no leading zeros.
    ensureDer(arc > 0 || octet !== 0x80);
    arc = arc * 0x80 + (octet & 0x7f);
    ensureDer(arc <= Number.MAX_SAFE_INTEGER / 0x80);
    if (octet >= 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first, ...others] = arcs;
  ensureDer(first !== undefined && (content.at(-1) ?? 0x80) < 0x80);
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...others].join('.');
}

/** Reads Extensions in order; the caller checks that none occurs twice. */
export const readExtensions = (
  extensions: DerElement | undefined,
): readonly (readonly [id: string, extension: Extension])[] =>
  nonEmpty(sequenceOf(extensions)).map((item) => {
    const parts = [...sequenceOf(item)];
    const id = readOid(parts.shift());
    const critical = hasType(parts[0], ASN1_TYPE.boolean) ? readBoolean(parts.shift()) : false;
    ensureDer(parts.length === 1);
    return [id, { critical, value: ensureType(parts[0], ASN1_TYPE.octetString).content }];
  });

/** The elements of a SEQUENCE; fails for anything else. */
export const sequenceOf = (element: DerElement | undefined): readonly DerElement[] =>
  ensureType(element, ASN1_TYPE.sequence).elements;

/** Returns the only element inside another; fails if there are more, or none. */
export function onlyElementOf(element: DerElement | undefined): DerElement {
  const [only, ...others] = element?.elements ?? [];
  ensureDer(only !== undefined && others.length === 0);
  return only;
}

export const hasType = (element: Plain | undefined, [classAndForm, number]: Type): boolean =>
  element?.classAndForm === classAndForm && element.number === number;

/** Returns the element; fails if it is missing or of another type. */
export function ensureType<T extends Plain>(element: T | undefined, type: Type): T {
  ensureDer(element !== undefined && hasType(element, type));
  return element;
}

/** Throws an error that {@link readIfWellFormed} catches unless the condition is true. */
export function ensureDer(condition: boolean): asserts condition {
  if (!condition) throw new Malformed();
}

/** Runs a reader; returns `undefined` if the bytes are malformed. */
export function readIfWellFormed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
