import { type DerElement, readDer } from './der.js';

/** One relative distinguished name: usually one attribute, several where it is multi-valued. */
export type NamePart = readonly { readonly type: string; readonly text: string }[];

export interface CertificateExtension {
  readonly critical: boolean;
  readonly value: Buffer;
}

/** The fields of a certificate (RFC 5280 §4.1) that are checked. */
export interface CertificateFields {
  /** 0 for version 1, 2 for version 3. */
  readonly version: number;
  /** Object identifier of the algorithm that signs it. */
  readonly signatureAlgorithm: string;
  readonly subject: readonly NamePart[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The bits of subjectPublicKey. */
  readonly keyBits: Buffer;
  /** In their order; whether one occurs twice is for the caller to check. */
  readonly extensions: readonly (readonly [id: string, extension: CertificateExtension])[];
}

/** Form and number of the types that are read (X.690 §8). */
const TYPE = {
  boolean: [0x00, 1],
  integer: [0x00, 2],
  bitString: [0x00, 3],
  octetString: [0x00, 4],
  oid: [0x00, 6],
  sequence: [0x20, 16],
  set: [0x20, 17],
} as const;
const CONTEXT = 0xa0;
const CONTEXT_PRIMITIVE = 0x80;
const UTC_TIME = 23;
const GENERALIZED_TIME = 24;
/** Universal types of texts: UTF8String; those of one byte a character; BMPString. */
const UTF8_STRING = 12;
const BYTE_STRINGS: readonly number[] = [18, 19, 20, 22, 26];
const BMP_STRING = 30;
/** RFC 5280 §4.1.2.5: with seconds, in UTC, without fractions. */
const TIME = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;
const DIRECTORY_NAME = 4;

/** The bytes are not what they should be. */
class Malformed extends Error {}

/**
 * Reads a DER certificate in one pass. By hand: parsers that are driven by a schema cost a hundred
 * times as much, on bytes that anybody can send. Undefined when it is anything else.
 */
export function readCertificateFields(der: Buffer): CertificateFields | undefined {
  return attempt(() => {
    const [tbs, ...signature] = membersOf(typed(readDer(der), TYPE.sequence));
    demand(signature.length === 2);
    return fieldsOf(membersOf(typed(tbs, TYPE.sequence)));
  });
}

/** basicConstraints (RFC 5280 §4.2.1.9); undefined when malformed. */
export function readBasicConstraints(value: Buffer) {
  return attempt(() => {
    const rest = [...membersOf(typed(readDer(value), TYPE.sequence))];
    const cA = is(rest[0], TYPE.boolean) ? readBoolean(rest.shift()) : false;
    const pathLenConstraint = is(rest[0], TYPE.integer) ? readSmall(rest.shift()) : undefined;
    demand(rest.length === 0);
    return { cA, pathLenConstraint };
  });
}

/** extKeyUsage (RFC 5280 §4.2.1.12) as object identifiers; undefined when malformed. */
export function readKeyPurposes(value: Buffer): readonly string[] | undefined {
  return attempt(() => {
    const purposes = membersOf(typed(readDer(value), TYPE.sequence));
    demand(purposes.length > 0);
    return purposes.map(readOid);
  });
}

/** The directory names of a subjectAltName (RFC 5280 §4.2.1.6); undefined when malformed. */
export function readDirectoryNames(value: Buffer): readonly NamePart[] | undefined {
  return attempt(() => {
    const names = membersOf(typed(readDer(value), TYPE.sequence));
    const named = names.filter((name) => is(name, [CONTEXT, DIRECTORY_NAME]));
    return named.flatMap((name) => readName(sole(name)));
  });
}

function fieldsOf(members: readonly DerElement[]): CertificateFields {
  const rest = [...members];
  const version = is(rest[0], [CONTEXT, 0]) ? readSmall(sole(rest.shift())) : 0;
  const [serial, algorithm, issuer, validity, subject, publicKey, ...optional] = rest;
  typed(serial, TYPE.integer);
  typed(issuer, TYPE.sequence);
  const [notBefore, notAfter, ...times] = membersOf(typed(validity, TYPE.sequence));
  const [, bits, ...more] = membersOf(typed(publicKey, TYPE.sequence));
  demand(times.length === 0 && more.length === 0);
  return {
    version,
    signatureAlgorithm: readOid(membersOf(typed(algorithm, TYPE.sequence))[0]),
    subject: readName(subject),
    notBefore: readTime(notBefore),
    notAfter: readTime(notAfter),
    keyBits: typed(bits, TYPE.bitString).content.subarray(1),
    extensions: readExtensions(optional),
  };
}

/** What may follow the key: issuerUniqueID, subjectUniqueID, extensions, each at most once. */
function readExtensions(optional: readonly DerElement[]): CertificateFields['extensions'] {
  const rest = [...optional];
  for (const number of [1, 2]) if (is(rest[0], [CONTEXT_PRIMITIVE, number])) rest.shift();
  const [extensions, ...others] = rest;
  demand(others.length === 0);
  if (extensions === undefined) return [];
  return membersOf(typed(sole(typed(extensions, [CONTEXT, 3])), TYPE.sequence)).map((item) => {
    const parts = [...membersOf(typed(item, TYPE.sequence))];
    const id = readOid(parts.shift());
    const critical = is(parts[0], TYPE.boolean) ? readBoolean(parts.shift()) : false;
    demand(parts.length === 1);
    return [id, { critical, value: typed(parts[0], TYPE.octetString).content }];
  });
}

function readName(name: DerElement | undefined): readonly NamePart[] {
  return membersOf(typed(name, TYPE.sequence)).map((part) =>
    membersOf(typed(part, TYPE.set)).map((attribute) => {
      const [type, value, ...others] = membersOf(typed(attribute, TYPE.sequence));
      demand(value !== undefined && others.length === 0);
      return { type: readOid(type), text: readText(value) };
    }),
  );
}

/** Empty for a value that is no text. */
function readText({ form, number, content }: DerElement): string {
  if (form !== 0) return '';
  if (number === UTF8_STRING) return content.toString('utf8');
  if (BYTE_STRINGS.includes(number)) return content.toString('latin1');
  if (number !== BMP_STRING || content.length % 2 !== 0) return '';
  return Buffer.from(content).swap16().toString('utf16le');
}

function readTime(element: DerElement | undefined): number {
  const { number = 0, content = Buffer.alloc(0) } = element ?? {};
  const parts = TIME.exec(content.toString('latin1'));
  demand(element?.form === 0 && (number === UTC_TIME || number === GENERALIZED_TIME));
  demand(parts?.[1]?.length === (number === UTC_TIME ? 2 : 4));
  const [year = 0, month = 0, ...others] = parts.slice(1).map(Number);
  // RFC 5280 §4.1.2.5.1: two digits from 50 are of the last century.
  const century = number === GENERALIZED_TIME ? 0 : year < 50 ? 2000 : 1900;
  return Date.UTC(century + year, month - 1, ...others);
}

function readBoolean(element: DerElement | undefined): boolean {
  const { content } = typed(element, TYPE.boolean);
  demand(content.length === 1);
  return content[0] !== 0;
}

/** Not negative, and of no more bytes than a number holds. */
function readSmall(element: DerElement | undefined): number {
  const { content } = typed(element, TYPE.integer);
  demand(content.length > 0 && content.length <= 6 && (content[0] ?? 0) < 0x80);
  return content.readUIntBE(0, content.length);
}

/** X.690 §8.19, in dotted decimals. */
function readOid(element: DerElement | undefined): string {
  const { content } = typed(element, TYPE.oid);
  const arcs: number[] = [];
  let arc = 0;
  for (const octet of content) {
    arc = arc * 0x80 + (octet & 0x7f);
    demand(arc <= Number.MAX_SAFE_INTEGER / 0x80);
    if (octet >= 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first, ...others] = arcs;
  demand(first !== undefined && (content.at(-1) ?? 0x80) < 0x80);
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...others].join('.');
}

const membersOf = ({ elements }: DerElement): readonly DerElement[] => elements;

function sole(element: DerElement | undefined): DerElement {
  const [only, ...others] = element?.elements ?? [];
  demand(only !== undefined && others.length === 0);
  return only;
}

type Type = readonly [form: number, number: number];

const is = (element: DerElement | undefined, [form, number]: Type): boolean =>
  element?.form === form && element.number === number;

function typed(element: DerElement | undefined, type: Type): DerElement {
  demand(element !== undefined && is(element, type));
  return element;
}

function demand(condition: boolean): asserts condition {
  if (!condition) throw new Malformed();
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
