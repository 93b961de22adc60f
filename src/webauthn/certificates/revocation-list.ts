import { verify } from 'node:crypto';
import {
  CONTEXT,
  type NamePart,
  ASN1_TYPE,
  readIfWellFormed,
  ensureDer,
  hasType,
  isTime,
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
  sequenceOf,
} from './asn1.js';
import { type Certificate, isUsableKey, STRONG_SIGNATURES } from './certificate.js';
import { readKeyUsage } from './certificate-fields.js';
import { type DerPart, readDer, readShallow } from './der.js';

export type RevocationListFault =
  | 'too-large'
  | 'malformed'
  /** It lists certificates that other authorities issued (RFC 5280 §5.2.5). */
  | 'indirect'
  /** It lists only what has changed since another list (RFC 5280 §5.2.4). */
  | 'delta'
  | 'critical-extension';

/** A list that was refused. Decide by `fault`. */
export class RevocationListError extends Error {
  constructor(readonly fault: RevocationListFault) {
    super(fault);
    this.name = 'RevocationListError';
  }
}

/** A certificate revocation list (RFC 5280 §5); its signature is not verified. */
export interface RevocationList {
  readonly issuer: readonly NamePart[];
  /** Identifies lists of the same authority and key for the same certificates. */
  readonly series: string;
  /** Milliseconds since 1970. */
  readonly thisUpdate: number;
  /** `undefined` if the list contains none, which RFC 5280 §5.1.2.5 forbids. */
  readonly nextUpdate: number | undefined;
  /** The bytes of the serial numbers, hexadecimal. */
  readonly serialNumbers: ReadonlySet<string>;
  readonly signed: {
    readonly bytes: Buffer;
    readonly algorithm: string;
    readonly signature: Buffer;
  };
}

/** Lists of authenticator makers have some hundred bytes; this size is read in less than a tenth of a second. */
export const MAX_LIST_BYTES = 1024 * 1024;
const MAX_ENTRIES = 20_000;
/** Names and extensions are read with everything nested in them, so their sizes are limited. */
const MAX_NAME_BYTES = 4096;
const MAX_EXTENSIONS_BYTES = 16 * 1024;
const MAX_ENTRY_EXTENSIONS = 4;
const MAX_SERIAL_BYTES = 64;
const MEMBERS = { list: 3, tbs: 7, entry: 3, extension: 3 } as const;

const VERSION_2 = 1;
const DELTA_INDICATOR = '2.5.29.27';
const ISSUING_DISTRIBUTION_POINT = '2.5.29.28';
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';
const CERTIFICATE_ISSUER = '2.5.29.29';
/** Tag numbers in an issuing distribution point (RFC 5280 §5.2.5), which states what certificates a list covers. */
const INDIRECT = 4;
const ONLY_ATTRIBUTE_CERTIFICATES = 5;

const ID_CE_KEY_USAGE = '2.5.29.15';
const CRL_SIGN = 6;

/**
 * Reads a certificate revocation list, DER. It may be untrusted: its cost depends on its size, which is limited.
 * Delta and indirect lists are not supported.
 *
 * @throws RevocationListError and nothing else
 */
export function readRevocationList(der: Buffer): RevocationList {
  check(der.length <= MAX_LIST_BYTES, 'too-large');
  const list = readIfWellFormed(() => readList(der));
  check(list !== undefined, 'malformed');
  return list;
}

/**
 * Whether an authority signed a list: the list contains the authority's name, the key may sign lists, and the
 * signature verifies (RFC 5280 §6.3.3 (f), (g)).
 */
export function isSignedBy(list: RevocationList, authority: Certificate): boolean {
  const { bytes, algorithm, signature } = list.signed;
  const { publicKey } = authority;
  const [type, hash] = STRONG_SIGNATURES.get(algorithm) ?? [];
  const mayBe = sameName(list.issuer, authority.subject) && maySignLists(authority);
  if (!mayBe || publicKey.asymmetricKeyType !== type || !isUsableKey(publicKey)) return false;
  return verify(hash, bytes, publicKey, signature);
}

/** A name as a text to compare; an authority encodes its name the same way everywhere. */
export const nameText = (name: readonly NamePart[]): string => JSON.stringify(name);

const sameName = (one: readonly NamePart[], other: readonly NamePart[]): boolean =>
  nameText(one) === nameText(other);

/** Whether a key may sign lists: without a keyUsage, it may be used for anything (RFC 5280 §4.2.1.3). */
function maySignLists({ extensions }: Certificate): boolean {
  const usage = extensions.get(ID_CE_KEY_USAGE);
  return usage === undefined || readKeyUsage(usage.value)?.(CRL_SIGN) === true;
}

function readList(der: Buffer): RevocationList {
  const [list] = shallow(der, 1);
  const [tbs, algorithm, signature] = within(list, MEMBERS.list);
  const fields = readSigned(tbs);
  ensureDer(fields.algorithm === algorithmOf(algorithm));
  const bits = readBytes(signature);
  ensureDer(tbs !== undefined);
  const { algorithm: signedWith, ...others } = fields;
  return {
    ...others,
    signed: { bytes: tbs.whole, algorithm: signedWith, signature: bits },
  };
}

/** TBSCertList (RFC 5280 §5.1.2). */
function readSigned(tbs: DerPart | undefined) {
  const rest = [...within(tbs, MEMBERS.tbs)];
  const version = hasType(rest[0], ASN1_TYPE.integer) ? readSmallInteger(rest.shift()) : 0;
  const algorithm = algorithmOf(rest.shift());
  const issuer = readName(deep(rest.shift(), MAX_NAME_BYTES));
  const thisUpdate = readTime(rest.shift());
  const nextUpdate = isTime(rest[0]) ? readTime(rest.shift()) : undefined;
  const entries = hasType(rest[0], ASN1_TYPE.sequence) ? within(rest.shift(), MAX_ENTRIES) : [];
  const extensions = hasType(rest[0], [CONTEXT, 0]) ? rest.shift() : undefined;
  ensureDer(rest.length === 0 && version <= VERSION_2);
  const series = [nameText(issuer), ...(extensions ? checkExtensions(extensions) : [])].join();
  const serialNumbers = readSerials(entries);
  return { algorithm, issuer, series, thisUpdate, nextUpdate, serialNumbers };
}

function readSerials(entries: readonly DerPart[]): ReadonlySet<string> {
  return new Set(
    entries.map((entry) => {
      const [serial, revokedAt, extensions, ...others] = within(entry, MEMBERS.entry);
      const content = readInteger(serial);
      readTime(revokedAt);
      ensureDer(others.length === 0 && content.length <= MAX_SERIAL_BYTES);
      if (extensions) checkEntry(extensions);
      return content.toString('hex');
    }),
  );
}

/** A list with an entry that is not understood must not be used (RFC 5280 §5.3). */
function checkEntry(extensions: DerPart): void {
  for (const extension of within(extensions, MAX_ENTRY_EXTENSIONS)) {
    const [id, critical] = within(extension, MEMBERS.extension);
    if (!hasType(critical, ASN1_TYPE.boolean) || !readBoolean(critical)) continue;
    check(readOid(id) !== CERTIFICATE_ISSUER, 'indirect');
    check(false, 'critical-extension');
  }
}

/** @returns the values that distinguish the series of lists of an authority */
function checkExtensions(part: DerPart): readonly (string | undefined)[] {
  const extensions = new Map(readExtensions(onlyElementOf(deep(part, MAX_EXTENSIONS_BYTES))));
  for (const [id, { critical, value }] of extensions) {
    check(id !== DELTA_INDICATOR, 'delta');
    if (id === ISSUING_DISTRIBUTION_POINT) checkDistributionPoint(value);
    else check(!critical, 'critical-extension');
  }
  return [AUTHORITY_KEY_IDENTIFIER, ISSUING_DISTRIBUTION_POINT].map((id) =>
    extensions.get(id)?.value.toString('hex'),
  );
}

/**
 * A list of only some certificates is accepted, since what it lists is revoked. A list for other authorities, or
 * of attribute certificates, does not apply.
 */
function checkDistributionPoint(value: Buffer): void {
  const fields = sequenceOf(readDer(value));
  const hasFlag = (flag: number) =>
    fields.some(({ number, content }) => number === flag && content[0]);
  check(!hasFlag(INDIRECT) && !hasFlag(ONLY_ATTRIBUTE_CERTIFICATES), 'indirect');
}

const algorithmOf = (part: DerPart | undefined): string =>
  readOid(shallow(ensureType(part, ASN1_TYPE.sequence).content, 2)[0]);

/** The elements of a sequence, without their nested ones. */
const within = (part: DerPart | undefined, most: number): readonly DerPart[] =>
  shallow(ensureType(part, ASN1_TYPE.sequence).content, most);

function shallow(bytes: Buffer, most: number): readonly DerPart[] {
  const parts = readShallow(bytes, most);
  ensureDer(parts !== undefined);
  return parts;
}

/** An element with everything nested in it. */
function deep(part: DerPart | undefined, mostBytes: number) {
  ensureDer(part !== undefined && part.whole.length <= mostBytes);
  return readDer(part.whole);
}

function check(condition: boolean, fault: RevocationListFault): asserts condition {
  if (!condition) throw new RevocationListError(fault);
}
