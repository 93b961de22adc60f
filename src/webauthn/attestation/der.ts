import { AsnConvert } from '@peculiar/asn1-schema';

/** Deeper than any certificate or extension nests; parsers recurse, so depth is bounded before. */
const MAX_DEPTH = 24;
const CONSTRUCTED = 0x20;
const LONG_TAG = 0x1f;
const LONG_LENGTH = 0x80;
const MAX_LENGTH_BYTES = 3;

interface Header {
  readonly constructed: boolean;
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
    if (header.constructed) ends.push(header.end);
    offset = header.constructed ? header.contentAt : header.end;
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

function readHeader(bytes: Buffer, offset: number, limit: number): Header | undefined {
  const tag = bytes[offset] ?? 0;
  const first = bytes[offset + 1];
  if (first === undefined || offset + 2 > limit || (tag & LONG_TAG) === LONG_TAG) return undefined;
  const lengthBytes = first < LONG_LENGTH ? 0 : first - LONG_LENGTH;
  const contentAt = offset + 2 + lengthBytes;
  const indefinite = first === LONG_LENGTH;
  if (indefinite || lengthBytes > MAX_LENGTH_BYTES || contentAt > limit) return undefined;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(offset + 2, lengthBytes);
  const end = contentAt + length;
  return end > limit ? undefined : { constructed: (tag & CONSTRUCTED) !== 0, contentAt, end };
}
