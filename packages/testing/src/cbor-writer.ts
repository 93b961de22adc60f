/** What the authenticator writes. `Raw` bytes go out as they are, so that tests can write nonsense. */
export type CborInput =
  number | string | boolean | null | Buffer | Raw | readonly CborInput[] | CborEntries;
export type CborEntries = ReadonlyMap<number | string, CborInput>;

/** Bytes that are already CBOR, or only look like it. */
export class Raw {
  constructor(readonly bytes: Buffer) {}
}

/**
 * Encodes as CBOR (RFC 8949), map entries in the order given. Independent of the server's decoder on purpose: a shared
 * misunderstanding would remain undetected.
 */
export function encodeCbor(value: CborInput): Buffer {
  if (value instanceof Raw) return value.bytes;
  if (value === null) return Buffer.of(0xf6);
  if (typeof value === 'boolean') return Buffer.of(value ? 0xf5 : 0xf4);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return withHead(3, Buffer.from(value, 'utf8'));
  if (Buffer.isBuffer(value)) return withHead(2, value);
  if (isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encodeCbor)]);
  const entries = [...value].flatMap(([key, item]) => [encodeCbor(key), encodeCbor(item)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function isArray(value: readonly CborInput[] | CborEntries): value is readonly CborInput[] {
  return Array.isArray(value);
}

function withHead(major: number, content: Buffer): Buffer {
  return Buffer.concat([head(major, content.length), content]);
}

function head(major: number, argument: number): Buffer {
  const type = major << 5;
  if (argument < 24) return Buffer.of(type | argument);
  if (argument <= 0xff) return Buffer.of(type | 24, argument);
  if (argument <= 0xffff) return Buffer.of(type | 25, argument >> 8, argument & 0xff);
  const wide = Buffer.alloc(5);
  wide.writeUInt8(type | 26, 0);
  wide.writeUInt32BE(argument, 1);
  return wide;
}
