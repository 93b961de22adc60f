import { isUtf8 } from 'node:buffer';
import { CeremonyError, type Failure } from './failure.js';

/** A value in the CTAP2 canonical CBOR data model, which WebAuthn structures use. */
export type CborValue = number | string | boolean | null | Buffer | readonly CborValue[] | CborMap;
export type CborMap = ReadonlyMap<number | string, CborValue>;

/** `cut`: shorter than declared. `left-over`: longer than declared. `malformed`: anything else. */
export type CborFault = 'cut' | 'left-over' | 'malformed';

/** The bytes are not CBOR of the accepted profile. */
export class CborError extends Error {
  constructor(
    readonly fault: CborFault,
    message: string,
  ) {
    super(message);
    this.name = 'CborError';
  }
}

/** Deepest nesting of arrays and maps: a compound attestation statement with certificates needs 5. */
const MAX_DEPTH = 5;

const MAJOR = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, simple: 7 } as const;

/** Smallest value that needs an argument of 1, 2, 4 or 8 bytes; a smaller value is not minimal. */
const SMALLEST = { 1: 24, 2: 0x100, 4: 0x1_0000, 8: 0x1_0000_0000 } as const;

export function isCborMap(value: CborValue | undefined): value is CborMap {
  return value instanceof Map;
}

export function isCborArray(value: CborValue | undefined): value is readonly CborValue[] {
  return Array.isArray(value);
}

/**
 * Decodes exactly one item and refuses left-over bytes.
 *
 * The profile is CTAP 2.2 §8 "Message Encoding" without its key order, which real authenticators
 * break: definite lengths only, minimal integers and lengths, no tags, no floats, no undefined, no
 * duplicate keys, valid UTF-8, integers within 2^53, nesting up to 5.
 */
export function decodeCbor(bytes: Buffer): CborValue {
  const { value, end } = decodeFirstCbor(bytes, 0);
  if (end !== bytes.length) throw new CborError('left-over', 'bytes left over after the item');
  return value;
}

/** Decodes the item that starts at `offset`; `end` is the offset of the byte after it. */
export function decodeFirstCbor(bytes: Buffer, offset: number): { value: CborValue; end: number } {
  const reader = new Reader(bytes, offset);
  const value = reader.item(0);
  return { value, end: reader.offset };
}

class Reader {
  constructor(
    private readonly bytes: Buffer,
    public offset: number,
  ) {}

  item(depth: number): CborValue {
    const initial = this.bytes.readUInt8(this.advance(1));
    const major = initial >> 5;
    if (major === MAJOR.simple) return simple(initial);
    const argument = this.argument(initial & 0x1f);
    switch (major) {
      case MAJOR.unsigned:
        return safe(argument);
      case MAJOR.negative:
        return safe(-1 - argument);
      case MAJOR.bytes:
        return this.slice(argument);
      case MAJOR.text:
        return text(this.slice(argument));
      case MAJOR.array:
        return this.array(argument, depth + 1);
      case MAJOR.map:
        return this.map(argument, depth + 1);
      default:
        throw new CborError('malformed', 'tags are not allowed');
    }
  }

  private array(count: number, depth: number): readonly CborValue[] {
    this.expectContainer(count, depth);
    const items: CborValue[] = [];
    for (let i = 0; i < count; i++) items.push(this.item(depth));
    return items;
  }

  private map(count: number, depth: number): CborMap {
    this.expectContainer(count * 2, depth);
    const map = new Map<number | string, CborValue>();
    for (let i = 0; i < count; i++) {
      const key = this.item(depth);
      if (typeof key !== 'number' && typeof key !== 'string') {
        throw new CborError('malformed', 'a map key must be an integer or text');
      }
      if (map.has(key)) throw new CborError('malformed', 'duplicate map key');
      map.set(key, this.item(depth));
    }
    return map;
  }

  /** Each element takes at least one byte, so a count beyond the remaining bytes is false: stop early. */
  private expectContainer(items: number, depth: number): void {
    if (depth > MAX_DEPTH) throw new CborError('malformed', 'nested too deeply');
    if (items > this.bytes.length - this.offset) throw new CborError('cut', 'too few elements');
  }

  /** RFC 8949 §3: the argument, only in its shortest form (§4.2.1). */
  private argument(info: number): number {
    if (info < 24) return info;
    if (info > 27) throw new CborError('malformed', 'indefinite or reserved length');
    const size = (1 << (info - 24)) as keyof typeof SMALLEST;
    const at = this.advance(size);
    const value =
      size === 8
        ? this.bytes.readUInt32BE(at) * 0x1_0000_0000 + this.bytes.readUInt32BE(at + 4)
        : this.bytes.readUIntBE(at, size);
    if (value < SMALLEST[size]) throw new CborError('malformed', 'argument is not minimal');
    return value;
  }

  private slice(length: number): Buffer {
    const start = this.advance(length);
    return this.bytes.subarray(start, start + length);
  }

  private advance(length: number): number {
    const start = this.offset;
    if (length > this.bytes.length - start) throw new CborError('cut', 'ends inside an item');
    this.offset = start + length;
    return start;
  }
}

function simple(initial: number): boolean | null {
  if (initial === 0xf4) return false;
  if (initial === 0xf5) return true;
  if (initial === 0xf6) return null;
  throw new CborError('malformed', 'floats, undefined and other simple values are not allowed');
}

function safe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new CborError('malformed', 'integer beyond 2^53');
  return value;
}

function text(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new CborError('malformed', 'text is not UTF-8');
  return bytes.toString('utf8');
}

/** The failure of a ceremony for each fault of its CBOR. */
export type CborFailures = Readonly<Record<CborFault, Failure>>;

/** For the attestation object, and the authenticator data in it. */
export const ATTESTATION_FAILURES: CborFailures = {
  cut: 'data-cut',
  'left-over': 'data-left-over',
  malformed: 'attestation-malformed',
};

/** Runs a decoder, and turns its refusal into a failure of the ceremony. */
export function withFailures<T>(failures: CborFailures, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof CborError) throw new CeremonyError(failures[error.fault], error.message);
    throw error;
  }
}
