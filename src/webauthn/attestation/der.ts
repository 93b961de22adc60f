import { AsnConvert } from '@peculiar/asn1-schema';

/** Deeper than any certificate or extension nests; parsers recurse, so depth is bounded before. */
const MAX_DEPTH = 24;
const CONSTRUCTED = 0x20;
const CLASS_AND_FORM = 0xe0;
const LONG_TAG = 0x1f;
const MORE_OCTETS = 0x80;
/** Tag numbers up to 16383: those of Android's key descriptions end at 724. */
const MAX_TAG_BYTES = 2;
const LONG_LENGTH = 0x80;
const MAX_LENGTH_BYTES = 3;

/** One element: its class and form (the upper three bits of its first octet), number and content. */
export interface DerElement {
  readonly form: number;
  readonly number: number;
  readonly content: Buffer;
}

interface Tag {
  readonly form: number;
  readonly number: number;
  readonly end: number;
}

interface Header {
  readonly tag: Tag;
  readonly contentAt: number;
  readonly end: number;
}

/**
 * Whether the bytes are exactly one DER element whose nested elements fill their parents: definite
 * lengths, nothing beyond the end, bounded depth (X.690 §8.1). Walks without recursion.
 */
export function isWellNestedDer(bytes: Buffer): boolean {
  const ends = [bytes.length];
  let offset = 0;
  while (ends.length > 0) {
    const limit = ends[ends.length - 1] ?? 0;
    if (offset === limit) {
      ends.pop();
      continue;
    }
    const header = readHeader(bytes, offset, limit);
    if (header === undefined) return false;
    const alone = offset > 0 || header.end === bytes.length;
    if (!alone || ends.length > MAX_DEPTH) return false;
    const constructed = (header.tag.form & CONSTRUCTED) !== 0;
    if (constructed) ends.push(header.end);
    offset = constructed ? header.contentAt : header.end;
  }
  return bytes.length > 0;
}

/** Parses DER as the given type; undefined when it is anything else. */
export function parseDer<T>(bytes: Buffer, type: new () => T): T | undefined {
  if (!isWellNestedDer(bytes)) return undefined;
  try {
    return AsnConvert.parse(bytes, type);
  } catch {
    return undefined;
  }
}

/** The elements that stand side by side in the bytes; undefined when they do not fill them. */
export function readDerElements(bytes: Buffer): readonly DerElement[] | undefined {
  const elements: DerElement[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const header = readHeader(bytes, offset, bytes.length);
    if (header === undefined) return undefined;
    const { form, number } = header.tag;
    elements.push({ form, number, content: bytes.subarray(header.contentAt, header.end) });
    offset = header.end;
  }
  return elements;
}

function readHeader(bytes: Buffer, offset: number, limit: number): Header | undefined {
  const tag = readTag(bytes, offset);
  const first = tag === undefined ? undefined : bytes[tag.end];
  if (tag === undefined || first === undefined || tag.end >= limit) return undefined;
  const lengthBytes = first < LONG_LENGTH ? 0 : first - LONG_LENGTH;
  const lengthAt = tag.end + 1;
  const contentAt = lengthAt + lengthBytes;
  const indefinite = first === LONG_LENGTH;
  if (indefinite || lengthBytes > MAX_LENGTH_BYTES || contentAt > limit) return undefined;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(lengthAt, lengthBytes);
  const end = contentAt + length;
  return end > limit ? undefined : { tag, contentAt, end };
}

/** X.690 §8.1.2: a number of 31 or more follows in base 128, without leading zeros. */
function readTag(bytes: Buffer, offset: number): Tag | undefined {
  const first = bytes[offset] ?? 0;
  const form = first & CLASS_AND_FORM;
  if ((first & LONG_TAG) !== LONG_TAG) {
    return { form, number: first & LONG_TAG, end: offset + 1 };
  }
  let number = 0;
  for (let size = 1; size <= MAX_TAG_BYTES; size++) {
    const octet = bytes[offset + size] ?? MORE_OCTETS;
    number = number * MORE_OCTETS + (octet & ~MORE_OCTETS);
    const shortest = number >= LONG_TAG && number >= MORE_OCTETS ** (size - 1);
    if (octet < MORE_OCTETS) {
      return shortest ? { form, number, end: offset + 1 + size } : undefined;
    }
  }
  return undefined;
}
