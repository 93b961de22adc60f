/** Deeper than any certificate or extension is nested; parsers recurse, so depth is limited. */
const MAX_DEPTH = 24;
const CONSTRUCTED = 0x20;
const CLASS_AND_FORM = 0xe0;
const LONG_TAG = 0x1f;
const MORE_OCTETS = 0x80;
/** Tag numbers up to 16383; Android's key descriptions use numbers up to 724. */
const MAX_TAG_BYTES = 2;
const INDEFINITE_LENGTH = 0x80;
const MAX_LENGTH_BYTES = 3;

/** One element: its class and form (the upper three bits of its first octet), number and content. */
export interface DerElement {
  readonly classAndForm: number;
  readonly number: number;
  readonly content: Buffer;
  /** The elements of a constructed element; a primitive one has none. */
  readonly elements: readonly DerElement[];
}

export interface DerPart extends Omit<DerElement, 'elements'> {
  /** The bytes of the element, header included. */
  readonly whole: Buffer;
}

interface Tag {
  readonly classAndForm: number;
  readonly number: number;
  readonly end: number;
}

/**
 * Reads exactly one DER element with everything in it: nested elements fill their parents, lengths are
 * definite, nothing follows the end, depth is limited (X.690 §8.1). Returns `undefined` for any other
 * bytes.
 */
export function readDer(bytes: Buffer): DerElement | undefined {
  const [only, ...others] = readElements(bytes, 1) ?? [];
  return others.length === 0 ? only : undefined;
}

/**
 * Splits consecutive elements, each with its header; nested ones are not read. Returns an empty array for any
 * other bytes.
 */
export function derParts(bytes: Buffer): readonly Buffer[] {
  return (readShallow(bytes) ?? []).map(({ whole }) => whole);
}

/**
 * Reads consecutive elements without their nested ones, so the cost depends only on their number. Returns
 * `undefined` for any other bytes, or for more elements than `most`.
 */
export function readShallow(bytes: Buffer, most = Infinity): readonly DerPart[] | undefined {
  const parts: DerPart[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const header = readHeader(bytes, offset);
    if (header === undefined || parts.length >= most) return undefined;
    const { classAndForm, number, contentAt, end } = header;
    const content = bytes.subarray(contentAt, end);
    const whole = bytes.subarray(offset, end);
    parts.push({ classAndForm, number, content, whole });
    offset = end;
  }
  return parts;
}

/** Reads consecutive elements with everything nested in them; `undefined` if they do not fill the bytes. */
function readElements(bytes: Buffer, depth: number): readonly DerElement[] | undefined {
  const elements: DerElement[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const header = readHeader(bytes, offset);
    if (header === undefined || depth > MAX_DEPTH) return undefined;
    const { classAndForm, number, contentAt, end } = header;
    const content = bytes.subarray(contentAt, end);
    const inner = (classAndForm & CONSTRUCTED) === 0 ? [] : readElements(content, depth + 1);
    if (inner === undefined) return undefined;
    elements.push({ classAndForm, number, content, elements: inner });
    offset = end;
  }
  return elements;
}

function readHeader(bytes: Buffer, offset: number) {
  const tag = readTag(bytes, offset);
  if (tag === undefined) return undefined;
  // A missing length is refused like an indefinite one.
  const first = bytes[tag.end] ?? INDEFINITE_LENGTH;
  const lengthBytes = Math.max(0, first - INDEFINITE_LENGTH);
  const lengthAt = tag.end + 1;
  const contentAt = lengthAt + lengthBytes;
  const isDefinite = first !== INDEFINITE_LENGTH && lengthBytes <= MAX_LENGTH_BYTES;
  if (!isDefinite || contentAt > bytes.length) return undefined;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(lengthAt, lengthBytes);
  // X.690 §10.1: the shortest form.
  const isShortest = lengthBytes === 0 || length >= Math.max(0x80, 0x100 ** (lengthBytes - 1));
  const end = contentAt + length;
  if (!isShortest || end > bytes.length) return undefined;
  return { classAndForm: tag.classAndForm, number: tag.number, contentAt, end };
}

/** X.690 §8.1.2: a number of 31 or more follows in base 128, without leading zeros. */
function readTag(bytes: Buffer, offset: number): Tag | undefined {
  const first = bytes.readUInt8(offset);
  const classAndForm = first & CLASS_AND_FORM;
  if ((first & LONG_TAG) !== LONG_TAG) {
    return { classAndForm, number: first & LONG_TAG, end: offset + 1 };
  }
  let number = 0;
  for (let size = 1; size <= MAX_TAG_BYTES; size++) {
    const octet = bytes[offset + size] ?? MORE_OCTETS;
    number = number * MORE_OCTETS + (octet & ~MORE_OCTETS);
    const shortest = number >= LONG_TAG && number >= MORE_OCTETS ** (size - 1);
    if (octet < MORE_OCTETS) {
      return shortest ? { classAndForm, number, end: offset + 1 + size } : undefined;
    }
  }
  return undefined;
}
