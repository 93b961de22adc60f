/** Deeper than any certificate or extension nests; parsers recurse, so depth is bounded. */
const MAX_DEPTH = 24;
const CONSTRUCTED = 0x20;
const CLASS_AND_FORM = 0xe0;
const LONG_TAG = 0x1f;
const MORE_OCTETS = 0x80;
/** Tag numbers up to 16383: those of Android's key descriptions end at 724. */
const MAX_TAG_BYTES = 2;
const INDEFINITE_LENGTH = 0x80;
const MAX_LENGTH_BYTES = 3;

/** One element: its class and form (the upper three bits of its first octet), number and content. */
export interface DerElement {
  readonly form: number;
  readonly number: number;
  readonly content: Buffer;
  /** What the content of a constructed element consists of; a primitive one has none. */
  readonly elements: readonly DerElement[];
}

export interface DerPart extends Omit<DerElement, 'elements'> {
  /** The bytes of the element, header included. */
  readonly whole: Buffer;
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
 * Reads exactly one DER element with all that is in it: nested elements fill their parents, lengths
 * are definite, nothing follows the end, depth is bounded (X.690 §8.1). Undefined when the
 * bytes are anything else.
 */
export function readDer(bytes: Buffer): DerElement | undefined {
  const [only, ...others] = readElements(bytes, 1) ?? [];
  return others.length === 0 ? only : undefined;
}

/**
 * Splits consecutive elements, each with its header; nested ones are not read. Empty when the bytes are
 * anything else.
 */
export function derParts(bytes: Buffer): readonly Buffer[] {
  return (readShallow(bytes) ?? []).map(({ whole }) => whole);
}

/**
 * Reads consecutive elements without their nested ones, so that the cost depends only on their number.
 * Undefined when the bytes are anything else, or hold more elements than `most`.
 */
export function readShallow(bytes: Buffer, most = Infinity): readonly DerPart[] | undefined {
  const parts: DerPart[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const header = readHeader(bytes, offset);
    if (header === undefined || parts.length >= most) return undefined;
    const { tag, contentAt, end } = header;
    const { form, number } = tag;
    const [content, whole] = [bytes.subarray(contentAt, end), bytes.subarray(offset, end)];
    parts.push({ form, number, content, whole });
    offset = end;
  }
  return parts;
}

/** Reads consecutive elements with all that is nested in them; undefined when they do not fill the bytes. */
function readElements(bytes: Buffer, depth: number): readonly DerElement[] | undefined {
  const elements: DerElement[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const header = readHeader(bytes, offset);
    if (header === undefined || depth > MAX_DEPTH) return undefined;
    const { tag, contentAt, end } = header;
    const { form, number } = tag;
    const content = bytes.subarray(contentAt, end);
    const inner = (form & CONSTRUCTED) === 0 ? [] : readElements(content, depth + 1);
    if (inner === undefined) return undefined;
    elements.push({ form, number, content, elements: inner });
    offset = end;
  }
  return elements;
}

function readHeader(bytes: Buffer, offset: number): Header | undefined {
  const tag = readTag(bytes, offset);
  if (tag === undefined) return undefined;
  // A missing length is refused as an indefinite one is.
  const first = bytes[tag.end] ?? INDEFINITE_LENGTH;
  const lengthBytes = Math.max(0, first - INDEFINITE_LENGTH);
  const lengthAt = tag.end + 1;
  const contentAt = lengthAt + lengthBytes;
  const told = first !== INDEFINITE_LENGTH && lengthBytes <= MAX_LENGTH_BYTES;
  if (!told || contentAt > bytes.length) return undefined;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(lengthAt, lengthBytes);
  const end = contentAt + length;
  return end > bytes.length ? undefined : { tag, contentAt, end };
}

/** X.690 §8.1.2: a number of 31 or more follows in base 128, without leading zeros. */
function readTag(bytes: Buffer, offset: number): Tag | undefined {
  const first = bytes.readUInt8(offset);
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
