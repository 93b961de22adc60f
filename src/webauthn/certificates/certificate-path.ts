import { CeremonyError } from '../failure.js';
import {
  basicConstraintsOf,
  type Certificate,
  isUsableKey,
  keyPurposesOf,
  loadCertificate,
  STRONG_SIGNATURES,
} from './certificate.js';
import type { RevocationLists } from './revocation-lists.js';

/** Why a path is not trusted: faults of the path itself, then revocation, then the lack of an anchor. */
export type PathFault =
  | 'no-certificates'
  | 'certificate-malformed'
  | 'not-yet-valid'
  | 'expired'
  | 'critical-extension'
  | 'name-constraints'
  | 'purpose-not-allowed'
  | 'weak-signature'
  | 'root-in-path'
  | 'not-a-ca'
  | 'path-too-long'
  | 'not-issued-by-next'
  /** The path leads to an anchor, but the issuer of one of its certificates has revoked that certificate. */
  | 'revoked'
  | 'no-anchors'
  | 'no-anchor-issued-it';

/** A path that leads to an anchor. */
interface Chain {
  /** The first of the anchors that the path leads to. */
  readonly anchor: Buffer;
  /** The certificates from the leaf to the anchor, DER; those sent beyond the anchor are missing. */
  readonly chain: readonly Buffer[];
}

interface PathVerdict extends Partial<Chain> {
  readonly trusted: boolean;
  readonly reason?: PathFault;
}

interface PathPolicy {
  /** Trusted certificates, DER. */
  readonly anchors: readonly Buffer[];
  /** The only anchors that may have signed a leaf with SHA-1. */
  readonly sha1Anchors?: readonly Buffer[];
  readonly at: Date;
  /** Revoked certificates, whenever they were revoked. */
  readonly lists?: RevocationLists | undefined;
}

class PathError extends Error {
  constructor(readonly fault: PathFault) {
    super(fault);
  }
}

const VERSION_1 = 0;
/**
 * Extensions that may be critical: basicConstraints, keyUsage, extKeyUsage, and subjectAltName and certificatePolicies.
 * TPM certificates mark the last two critical; they need no check, since no policy is required (RFC 5280 §6.1.1 (c)
 * any-policy), and policyConstraints are refused when critical.
 */
const UNDERSTOOD = ['2.5.29.19', '2.5.29.15', '2.5.29.37', '2.5.29.17', '2.5.29.32'];
/** Refused, critical or not: the names below are not compared with them, and no known authenticator has them. */
const NAME_CONSTRAINTS = '2.5.29.30';
const ANY_EXTENDED_KEY_USAGE = '2.5.29.37.0';

/**
 * RSA and ECDSA with SHA-1, which makers of U2F keys and FIDO's conformance tests used for leaves. Colliding
 * certificates must be made before the maker signs, so a leaf is accepted if the anchors need it; a CA
 * certificate is not.
 */
const SHA1_SIGNATURES = ['1.2.840.113549.1.1.5', '1.2.840.10045.4.1'];

/**
 * Checks whether a path (`x5c`, leaf first) leads to a trust anchor at a given time (WebAuthn L3 §7.1 steps
 * 23–24, RFC 5280 §6). Fails closed: without anchors nothing is trusted. The path ends at the anchor, which may be any
 * certificate in it, also the leaf, or the issuer of any. The others must only continue the chain.
 */
export function validateCertificatePath(x5c: readonly Buffer[], policy: PathPolicy): PathVerdict {
  try {
    const found = chainToAnchor(x5c.map(loadCertificate), policy);
    const isRevoked = policy.lists && isRevokedChain(found.chain, policy.lists);
    demand(!isRevoked, 'revoked');
    return { trusted: true, ...found };
  } catch (error) {
    if (error instanceof PathError) return { trusted: false, reason: error.fault };
    if (error instanceof CeremonyError) return { trusted: false, reason: 'certificate-malformed' };
    throw error;
  }
}

/**
 * The path without a self-signed certificate at its end, unless that is the attestation certificate itself.
 * Some authenticators send the root as well, which the format allows. It is ignored, since only the anchors
 * decide about trust.
 */
export function withoutRoot(path: readonly Certificate[]): readonly Certificate[] {
  const last = path.slice(1).at(-1)?.x509;
  return last?.checkIssued(last) === true ? path.slice(0, -1) : path;
}

/**
 * The fault of the first certificate that is not valid at a time; `undefined` if all are. Both limits belong
 * to the validity period (RFC 5280 §4.1.2.5). Fails with `attestation-certificate`.
 */
export function timeFaultOf(
  x5c: readonly Buffer[],
  at: Date,
): 'not-yet-valid' | 'expired' | undefined {
  const faults = x5c.map((der) => timeFault(loadCertificate(der), at));
  return faults.find((fault) => fault !== undefined);
}

/** The certificates up to the first anchor to which a valid path leads, and that anchor. */
function chainToAnchor(path: readonly Certificate[], policy: PathPolicy): Chain {
  const { at } = policy;
  demand(path.length > 0, 'no-certificates');
  const anchors = anchorsFor(path[0], policy);
  let fault: PathError | undefined;
  for (const anchor of anchors) {
    const end = path.findIndex((one, index) => endsPath(one, anchor, { at, below: index + 1 }));
    if (end < 0) continue;
    try {
      checkPath(path.slice(0, end + 1), at, anchor);
      checkContinuation(path.slice(end));
      return { anchor, chain: chainOf(path.slice(0, end + 1), anchor) };
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      fault ??= error;
    }
  }
  if (fault !== undefined) throw fault;
  checkPath(path, at);
  throw new PathError(anchors.length > 0 ? 'no-anchor-issued-it' : 'no-anchors');
}

/** A certificate is the anchor, or was issued by it. */
const endsPath = (one: Certificate, anchor: Buffer, limits: AnchorLimits): boolean =>
  anchor.equals(one.der) || isUsableAnchor(anchor, one, limits);

/**
 * Checks the certificates below an anchor, or all if none is known.
 *
 * @param anchor if it is the last certificate, it limits no purposes: what it may issue is known by other means
 */
function checkPath(path: readonly Certificate[], at: Date, anchor?: Buffer): void {
  const [leaf] = path;
  for (const certificate of path) checkValidity(certificate, at);
  // The attestation certificate itself is the anchor.
  if (leaf === undefined || anchor?.equals(leaf.der) === true) return;
  path.forEach((certificate, index) => {
    checkLink(certificate, index);
    checkIssuedByNext(certificate, path[index + 1]);
  });
  const purposes = keyPurposesOf(leaf);
  for (const authority of path.slice(1)) {
    if (anchor?.equals(authority.der) !== true) checkPurposes(purposes, authority);
  }
}

/** The certificates beyond an anchor belong to no path, but they must not be others than those of the chain. */
function checkContinuation(certificates: readonly Certificate[]): void {
  certificates.slice(1).forEach((issuer, index) => {
    demand(!isIssuedBy(issuer, issuer), 'root-in-path');
    checkIssuedByNext(certificates[index], issuer);
  });
}

function checkIssuedByNext(certificate?: Certificate, next?: Certificate): void {
  demand(!certificate || !next || isIssuedBy(certificate, next), 'not-issued-by-next');
}

/** An authority with an extKeyUsage issues certificates for these purposes alone, as browsers and Windows read it. */
function checkPurposes(wanted: readonly string[] | undefined, authority: Certificate): void {
  const allowed = keyPurposesOf(authority);
  const isAllowed =
    allowed === undefined ||
    allowed.includes(ANY_EXTENDED_KEY_USAGE) ||
    wanted?.every((purpose) => allowed.includes(purpose)) === true;
  demand(isAllowed, 'purpose-not-allowed');
}

/**
 * Whether a certificate of the chain was revoked by its issuer (RFC 5280 §6.1.3 (a) (3)).
 *
 * @param chain DER, each issued by the next; the last is the anchor, which is trusted as is
 */
export function isRevokedChain(chain: readonly Buffer[], lists: RevocationLists): boolean {
  const certificates = chain.map(loadCertificate);
  return certificates.some((certificate, index) => {
    const issuer = certificates[index + 1];
    return issuer !== undefined && lists.revokes(certificate, issuer);
  });
}

/** A path with its anchor at the end, unless it ends with the anchor already. */
function chainOf(path: readonly Certificate[], anchor: Buffer): readonly Buffer[] {
  const chain = path.map(({ der }) => der);
  return chain.at(-1)?.equals(anchor) === true ? chain : [...chain, anchor];
}

function anchorsFor(
  leaf: Certificate | undefined,
  { anchors, sha1Anchors = [] }: PathPolicy,
): readonly Buffer[] {
  const isWeak = leaf !== undefined && SHA1_SIGNATURES.includes(leaf.signatureAlgorithm);
  // An anchor that is the attestation certificate itself is trusted as is, whatever its signature.
  if (!isWeak || anchors.some((anchor) => anchor.equals(leaf.der))) return anchors;
  demand(sha1Anchors.length > 0, 'weak-signature');
  return sha1Anchors;
}

/** Checks the rules for every certificate of the path; `index` is the number of certificates below it. */
function checkLink(certificate: Certificate, index: number): void {
  const { signatureAlgorithm } = certificate;
  const isWeakLeaf = index === 0 && SHA1_SIGNATURES.includes(signatureAlgorithm);
  demand(isWeakLeaf || STRONG_SIGNATURES.has(signatureAlgorithm), 'weak-signature');
  demand(!isIssuedBy(certificate, certificate), 'root-in-path');
  for (const [id, { critical }] of certificate.extensions) {
    demand(id !== NAME_CONSTRAINTS || critical, 'name-constraints');
    demand(!critical || UNDERSTOOD.includes(id), 'critical-extension');
  }
  if (index > 0) checkAuthority(certificate, index);
}

/**
 * RFC 5280 §6.1.4 (k)–(m); `below` is the number of certificates under it, including the leaf. Step (n), the
 * right to sign certificates, is part of {@link isIssuedBy}.
 */
function checkAuthority(certificate: Certificate, below: number): void {
  const constraints = basicConstraintsOf(certificate);
  demand(constraints?.cA === true, 'not-a-ca');
  demand(below - 1 <= (constraints.pathLenConstraint ?? Infinity), 'path-too-long');
}

function checkValidity(certificate: Certificate, at: Date): void {
  const fault = timeFault(certificate, at);
  if (fault !== undefined) throw new PathError(fault);
}

function timeFault({ notBefore, notAfter }: Certificate, at: Date) {
  if (notBefore > at.getTime()) return 'not-yet-valid';
  return notAfter < at.getTime() ? 'expired' : undefined;
}

interface AnchorLimits {
  readonly at: Date;
  /** The number of certificates under the anchor. */
  readonly below: number;
}

/** Anchors with the same subject may have different keys, so the signature decides, not the name. */
function isUsableAnchor(
  der: Buffer,
  certificate: Certificate,
  { at, below }: AnchorLimits,
): boolean {
  try {
    const anchor = loadCertificate(der);
    checkValidity(anchor, at);
    // RFC 5280 §6.1.4 (k): version 1 has no extensions; that it is a CA is known by other means.
    if (anchor.version !== VERSION_1) checkAuthority(anchor, below);
    return isIssuedBy(certificate, anchor);
  } catch (error) {
    if (error instanceof PathError || error instanceof CeremonyError) return false;
    throw error;
  }
}

/**
 * Caches which certificate issued which, while both are loaded. Signatures are most of the cost of checking a
 * path, and stored keys of one model, which are checked against its roots again, share certificates.
 */
const ISSUED = new WeakMap<Certificate, WeakMap<Certificate, boolean>>();

/** Whether a certificate names another one as its issuer, and that one's key signed it. */
export function isIssuedBy(certificate: Certificate, issuer: Certificate): boolean {
  const known = ISSUED.get(certificate) ?? new WeakMap<Certificate, boolean>();
  ISSUED.set(certificate, known);
  const issued = known.get(issuer) ?? verifiesBy(certificate, issuer);
  known.set(issuer, issued);
  return issued;
}

/** `checkIssued` compares names and key identifiers, and refuses an issuer whose keyUsage lacks keyCertSign. */
function verifiesBy(certificate: Certificate, issuer: Certificate): boolean {
  const named = certificate.x509.checkIssued(issuer.x509) && isUsableKey(issuer.publicKey);
  return named && certificate.x509.verify(issuer.publicKey);
}

function demand(condition: boolean, fault: PathFault): asserts condition {
  if (!condition) throw new PathError(fault);
}
