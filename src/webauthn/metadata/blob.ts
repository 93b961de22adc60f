import { verify } from 'node:crypto';
import {
  bindCertificateKey,
  loadCertificate,
  type Certificate,
} from '../certificates/certificate.js';
import {
  validateCertificatePath,
  withoutRoot,
  type PathFault,
} from '../certificates/certificate-path.js';
import { readCertificateChain, readJws, type Jws } from '../attestation/jws.js';
import type { RevocationLists } from '../certificates/revocation-lists.js';
import { signatureAlgorithm } from '../keys/algorithms.js';
import { CeremonyError } from '../failure.js';
import { PUBLIC_BLOB_ROOTS } from './blob-roots.js';
import { modelNamedBy, readEntry, type MetadataEntry } from './metadata-statement.js';
import {
  arrayOf,
  readDay,
  ignoreSkipped,
  readNumber,
  skipUnreadable,
  type JsonObject,
} from './json.js';
import { ensureMetadata, MetadataError, type MetadataFault } from './metadata-error.js';

/** A metadata BLOB with a valid signature and payload (FIDO Metadata Service v3 §3.1.6). */
export interface MetadataBlob {
  /** Serial number: a BLOB with a lower number than the last accepted one is outdated. */
  readonly no: number;
  /** Midnight, in UTC, of the day on which the next BLOB must be fetched. */
  readonly nextUpdate: Date;
  /** The entries that can be read, and the last known state of the others. */
  readonly entries: readonly MetadataEntry[];
  readonly skipped: readonly SkippedPart[];
  /** The signer's certificates, DER, from its own to the root. */
  readonly signers: readonly Buffer[];
}

/** A part of a BLOB that cannot be read: an entry, or a member that decides nothing (§3.2 works entry by entry). */
export interface SkippedPart {
  /** The model that the entry names, else its place in `entries`. */
  readonly entry: string;
  /** The member and its value. */
  readonly detail: string;
  readonly isEntry: boolean;
  /** Whether the last known state of the entry is used in its place. */
  readonly isKept: boolean;
}

export interface BlobPolicy {
  /** Roots of metadata services other than FIDO's, DER; FIDO's own root always counts. */
  readonly roots?: readonly Buffer[];
  /** When the signer's certificates must be valid: now, or when the BLOB was loaded. */
  readonly at: Date;
  /** Whether an overdue BLOB is read from an archive: its signer must have been valid when it was made. */
  readonly isArchived?: boolean;
  /** Revoked certificates, whenever they were revoked. */
  readonly lists?: RevocationLists | undefined;
  /** Entries of earlier BLOBs, as JSON values, for entries that cannot be read in this one. */
  readonly lastKnown?: readonly unknown[];
}

/**
 * The host name in the certificate of FIDO's signer. Its issuer is a public CA that certifies anyone, so the name
 * distinguishes FIDO's certificates from others.
 */
const SIGNER_HOST = 'mds.fidoalliance.org';

/** JWS algorithms (RFC 7518 §3.1) as COSE algorithms. */
const ALGORITHMS: ReadonlyMap<unknown, number> = new Map([
  ['ES256', -7],
  ['ES384', -35],
  ['ES512', -36],
  ['RS256', -257],
  ['RS384', -258],
  ['RS512', -259],
  ['PS256', -37],
  ['PS384', -38],
  ['PS512', -39],
  ['EdDSA', -8],
]);

/**
 * Reads a metadata BLOB (FIDO Metadata Service v3 §3.2 "Metadata BLOB object processing rules"). Pure: the
 * caller checks that its number is newer than the last, and has the revocation lists.
 *
 * @throws MetadataError
 */
export function readMetadataBlob(jwt: Buffer | string, policy: BlobPolicy): MetadataBlob {
  const jws = readParts(jwt);
  const signers = verifySigner(jws, policy);
  const { payload } = jws;
  return {
    no: readNumber(payload.get('no'), 'no'),
    nextUpdate: readDay(payload.get('nextUpdate'), 'nextUpdate'),
    ...readEntries(arrayOf(payload.get('entries'), 'entries'), policy.lastKnown ?? []),
    signers,
  };
}

/** Reads the entries separately: an unreadable one does not affect the others. */
function readEntries(items: readonly unknown[], lastKnown: readonly unknown[]) {
  const skipped: SkippedPart[] = [];
  const kept: MetadataEntry[] = [];
  const read = items.flatMap((item, place) => {
    const entry = modelNamedBy(item) ?? `entries[${place}]`;
    const members: SkippedPart[] = [];
    const found = skipUnreadable(
      () =>
        readEntry(item, (detail) => {
          members.push({ entry, detail, isEntry: false, isKept: false });
        }),
      (detail) => {
        const last = lastStateOf(entry, lastKnown);
        if (last) kept.push(last);
        skipped.push({ entry, detail, isEntry: true, isKept: last !== undefined });
      },
    );
    if (found) skipped.push(...members);
    return found ?? [];
  });
  // Later entries of a model replace earlier ones.
  return { entries: [...kept, ...read], skipped };
}

function lastStateOf(model: string, lastKnown: readonly unknown[]): MetadataEntry | undefined {
  const last = lastKnown.find((entry) => modelNamedBy(entry) === model);
  return last === undefined ? undefined : skipUnreadable(() => readEntry(last), ignoreSkipped);
}

/**
 * The last known entries of models, as JSON values without pictures.
 *
 * @param jwt the BLOB until now, whose entries count if they can be read
 * @param before the last known entries until now, for models whose entry in that BLOB cannot be read either
 */
export function lastKnownEntries(
  jwt: Buffer | undefined,
  before: readonly unknown[],
  models: ReadonlySet<string>,
): readonly unknown[] {
  const items = jwt ? arrayOf(readParts(jwt).payload.get('entries'), 'entries') : [];
  const known = [...before, ...items].filter((entry) => {
    const model = modelNamedBy(entry);
    const isWanted = model !== undefined && models.has(model);
    return isWanted && skipUnreadable(() => readEntry(entry), ignoreSkipped) !== undefined;
  });
  const found = new Map(known.map((entry) => [modelNamedBy(entry), entry]));
  return [...found.values()].map(withoutPicture);
}

function withoutPicture(entry: unknown): unknown {
  const { metadataStatement, ...others } = entry as JsonObject;
  if (metadataStatement === undefined) return others;
  return { ...others, metadataStatement: { ...(metadataStatement as object), icon: undefined } };
}

/** Trims first, since files end with a newline, which is not part of the JWS. */
function readParts(jwt: Buffer | string): Jws {
  const text = jwt.toString('latin1').trim();
  return attempt('not-a-jws', () => readJws(Buffer.from(text, 'latin1')));
}

/** @returns the signer's certificates, from its own to the root */
function verifySigner(jws: Jws, policy: BlobPolicy): readonly Buffer[] {
  const { header, signed, signature } = jws;
  const id = ALGORITHMS.get(header.get('alg'));
  const algorithm = id === undefined ? undefined : signatureAlgorithm(id);
  ensureMetadata(algorithm !== undefined, 'algorithm', 'alg of the header may not sign a BLOB');
  const chain = attempt('certificate', () => readCertificateChain(header).map(loadCertificate));
  const [leaf] = chain;
  ensureMetadata(leaf !== undefined, 'certificate', 'x5c is empty');
  const key = attempt('algorithm', () => bindCertificateKey(leaf, algorithm).key);
  const verified = verify(
    algorithm.hash,
    signed,
    // RFC 7518 §3.4: the two numbers of an ECDSA signature concatenated, not in DER.
    { key, ...algorithm.padding, dsaEncoding: 'ieee-p1363' },
    signature,
  );
  ensureMetadata(verified, 'signature', 'the signature is not of the first certificate');
  return verifyChain(chain, { ...policy, at: signingTime(jws, leaf, policy) });
}

/**
 * The time at which the signer's certificates must be valid. A BLOB does not say when it was made. If the next one is
 * due later, it is the current one: now. Otherwise that day counts, or the next one at which the signer's own certificate
 * was valid, or the last one, if this is not before the last change of an entry.
 */
function signingTime(
  { payload }: Jws,
  { notBefore, notAfter }: Certificate,
  { at, isArchived = false }: BlobPolicy,
): Date {
  if (!isArchived) return at;
  const nextUpdate = readDay(payload.get('nextUpdate'), 'nextUpdate');
  if (nextUpdate >= at) return at;
  const time = Math.min(Math.max(nextUpdate.getTime(), notBefore), notAfter, at.getTime());
  ensureMetadata(time >= lastChange(payload.get('entries')), 'signer-time', 'expired before');
  return new Date(time);
}

/** The last `timeOfLastStatusChange` of entries, in milliseconds since 1970; 0 if there is none. */
function lastChange(entries: unknown): number {
  const days = arrayOf(entries, 'entries').flatMap((entry) => {
    const { timeOfLastStatusChange: day } = { ...(entry as JsonObject) };
    return skipUnreadable(() => readDay(day, 'timeOfLastStatusChange'), ignoreSkipped) ?? [];
  });
  return days.reduce((latest, day) => Math.max(latest, day.getTime()), 0);
}

function verifyChain(
  chain: readonly Certificate[],
  { roots = [], at, lists }: BlobPolicy,
): readonly Buffer[] {
  const path = withoutRoot(chain).map(({ der }) => der);
  const isFidos = chain[0]?.x509.checkHost(SIGNER_HOST, { subject: 'never' }) !== undefined;
  const anchors = isFidos ? [...roots, ...PUBLIC_BLOB_ROOTS] : roots;
  const { chain: valid, reason } = validateCertificatePath(path, { anchors, at, lists });
  ensureMetadata(valid !== undefined, faultOf(reason), reason ?? 'not trusted');
  return valid;
}

function faultOf(reason: PathFault | undefined): MetadataFault {
  if (reason === 'revoked') return 'revoked';
  return reason === 'expired' || reason === 'not-yet-valid' ? 'signer-time' : 'certificate-path';
}

/** Runs a parser shared with ceremonies, and turns its refusal into a fault of the BLOB. */
function attempt<T>(fault: MetadataFault, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof CeremonyError) throw new MetadataError(fault, error.message);
    throw error;
  }
}
