import {
  CONTEXT,
  CONTEXT_PRIMITIVE,
  type Extension,
  type NamePart,
  ASN1_TYPE,
  readIfWellFormed,
  ensureDer,
  hasType,
  sequenceOf,
  readBits,
  readBoolean,
  readBytes,
  readExtensions,
  readInteger,
  readName,
  readOid,
  readSmallInteger,
  readTime,
  onlyElementOf,
  ensureType,
} from './asn1.js';
import { type DerElement, readDer } from './der.js';

/** The checked fields of a certificate (RFC 5280 §4.1). */
export interface CertificateFields {
  /** 0 for version 1, 2 for version 3. */
  readonly version: number;
  /** The bytes of the serial number, hexadecimal. */
  readonly serialNumber: string;
  /** Object identifier of the signature algorithm. */
  readonly signatureAlgorithm: string;
  readonly subject: readonly NamePart[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The bits of subjectPublicKey. */
  readonly keyBits: Buffer;
  /** In order; the caller checks that none occurs twice. */
  readonly extensions: readonly (readonly [id: string, extension: Extension])[];
}

const VERSION_3 = 2;
const DIRECTORY_NAME = 4;

/**
 * Reads a DER certificate in one pass. Written by hand, since anyone can send these bytes and schema-driven
 * parsers cost a hundred times as much. Returns `undefined` if the bytes are anything else.
 */
export function readCertificateFields(der: Buffer): CertificateFields | undefined {
  return readIfWellFormed(() => {
    const [tbs, algorithm, signature, ...others] = sequenceOf(readDer(der));
    ensureDer(others.length === 0 && readBytes(signature).length > 0);
    const fields = fieldsOf(sequenceOf(tbs));
    // RFC 5280 §4.1.1.2: the signed field names the same algorithm.
    ensureDer(readOid(sequenceOf(algorithm)[0]) === fields.signatureAlgorithm);
    return fields;
  });
}

/** basicConstraints (RFC 5280 §4.2.1.9); undefined when malformed. */
export function readBasicConstraints(value: Buffer) {
  return readIfWellFormed(() => {
    const rest = [...sequenceOf(readDer(value))];
    const cA = hasType(rest[0], ASN1_TYPE.boolean) ? readBoolean(rest.shift()) : false;
    const pathLenConstraint = hasType(rest[0], ASN1_TYPE.integer)
      ? readSmallInteger(rest.shift())
      : undefined;
    ensureDer(rest.length === 0);
    return { cA, pathLenConstraint };
  });
}

/** extKeyUsage (RFC 5280 §4.2.1.12) as object identifiers; undefined when malformed. */
export function readKeyPurposes(value: Buffer): readonly string[] | undefined {
  return readIfWellFormed(() => {
    const purposes = sequenceOf(readDer(value));
    ensureDer(purposes.length > 0);
    return purposes.map(readOid);
  });
}

/** keyUsage (RFC 5280 §4.2.1.3): a function that returns whether a bit is set; undefined when malformed. */
export function readKeyUsage(value: Buffer): ((bit: number) => boolean) | undefined {
  return readIfWellFormed(() => {
    const octets = readBits(readDer(value));
    return (bit) => (((octets[bit >> 3] ?? 0) << (bit & 7)) & 0x80) !== 0;
  });
}

/** The directory names of a subjectAltName (RFC 5280 §4.2.1.6); undefined when malformed. */
export function readDirectoryNames(value: Buffer): readonly NamePart[] | undefined {
  return readIfWellFormed(() => {
    const names = sequenceOf(readDer(value));
    const named = names.filter((name) => hasType(name, [CONTEXT, DIRECTORY_NAME]));
    return named.flatMap((name) => readName(onlyElementOf(name)));
  });
}

function fieldsOf(members: readonly DerElement[]): CertificateFields {
  const rest = [...members];
  const version = hasType(rest[0], [CONTEXT, 0])
    ? readSmallInteger(onlyElementOf(rest.shift()))
    : 0;
  const [serial, algorithm, issuer, validity, subject, publicKey, ...optional] = rest;
  readName(issuer);
  const [notBefore, notAfter, ...times] = sequenceOf(validity);
  const [, bits, ...more] = sequenceOf(publicKey);
  ensureDer(times.length === 0 && more.length === 0 && version <= VERSION_3);
  return {
    version,
    serialNumber: readInteger(serial).toString('hex'),
    signatureAlgorithm: readOid(sequenceOf(algorithm)[0]),
    subject: readName(subject),
    notBefore: readTime(notBefore),
    notAfter: readTime(notAfter),
    keyBits: readBytes(bits),
    extensions: optionalExtensions(optional),
  };
}

/** The optional fields after the key: issuerUniqueID, subjectUniqueID, extensions, each at most once. */
function optionalExtensions(optional: readonly DerElement[]): CertificateFields['extensions'] {
  const rest = [...optional];
  for (const number of [1, 2]) if (hasType(rest[0], [CONTEXT_PRIMITIVE, number])) rest.shift();
  const [extensions, ...others] = rest;
  ensureDer(others.length === 0);
  return extensions === undefined
    ? []
    : readExtensions(onlyElementOf(ensureType(extensions, [CONTEXT, 3])));
}
