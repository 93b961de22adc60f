/** The few DER elements that certificates need (X.690), each a function of its content. */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  nothing: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  contextPrimitive: 0x80,
  context: 0xa0,
} as const;
const LONG_TAG = 0x1f;

/** Any element: tag, shortest definite length, content. */
export function element(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
}

export function sequence(...items: readonly Buffer[]): Buffer {
  return element(TAG.sequence, ...items);
}

/** Sequences inside each other, the innermost empty. */
export function nested(depth: number): Buffer {
  return Array.from({ length: depth }).reduce<Buffer>((inner) => sequence(inner), Buffer.alloc(0));
}

export function set(...items: readonly Buffer[]): Buffer {
  return element(TAG.set, ...items);
}

/** An explicitly tagged element, `[number]`; numbers from 31 on take octets of their own. */
export function explicit(number: number, item: Buffer): Buffer {
  if (number < LONG_TAG) return element(TAG.context | number, item);
  const tag = Buffer.of(TAG.context | LONG_TAG, ...base128(number));
  return Buffer.concat([tag, lengthOf(item.length), item]);
}

/** An implicitly tagged text in ASCII, `[number]`. */
export function text(number: number, content: string): Buffer {
  return element(TAG.contextPrimitive | number, Buffer.from(content, 'ascii'));
}

export function boolean(value: boolean): Buffer {
  return element(TAG.boolean, Buffer.of(value ? 0xff : 0x00));
}

/** NULL */
export function nothing(): Buffer {
  return element(TAG.nothing);
}

export function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  const sign = bytes.readUInt8(0) >= 0x80 ? Buffer.of(0) : Buffer.alloc(0);
  return element(TAG.integer, sign, bytes);
}

export function octetString(content: Buffer): Buffer {
  return element(TAG.octetString, content);
}

export function bitString(content: Buffer, unusedBits = 0): Buffer {
  return element(TAG.bitString, Buffer.of(unusedBits), content);
}

export function utf8String(text: string): Buffer {
  return element(TAG.utf8String, Buffer.from(text, 'utf8'));
}

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(TAG.oid, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** UTCTime until 2049, GeneralizedTime from then on (RFC 5280 §4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-T:]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050
    ? element(TAG.utcTime, Buffer.from(digits.slice(2), 'ascii'))
    : element(TAG.generalizedTime, Buffer.from(digits, 'ascii'));
}

function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  if (length <= 0xff) return Buffer.of(0x81, length);
  if (length <= 0xffff) return Buffer.of(0x82, length >> 8, length & 0xff);
  return Buffer.of(0x83, length >> 16, (length >> 8) & 0xff, length & 0xff);
}
