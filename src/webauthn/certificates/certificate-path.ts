import { CeremonyError } from '../failure.js';
import {
  basicConstraintsOf,
  type Certificate,
  isAffordableKey,
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
  | 'weak-signature'
  | 'root-in-path'
  | 'not-a-ca'
  | 'path-too-long'
  | 'not-issued-by-next'
  /** The path leads to an anchor, but the issuer of one of its certificates has revoked that certificate. */
  | 'revoked'
  | 'no-anchors'
  | 'no-anchor-issued-it';

interface PathVerdict {
  readonly trusted: boolean;
  readonly reason?: PathFault;
  /** The first of the anchors that the path leads to. */
  readonly anchor?: Buffer;
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
 * any-policy), and policyConstraints and nameConstraints are refused when critical.
 */
const UNDERSTOOD = ['2.5.29.19', '2.5.29.15', '2.5.29.37', '2.5.29.17', '2.5.29.32'];

/**
 * RSA and ECDSA with SHA-1, which makers of U2F keys and FIDO's conformance tests used for leaves. Colliding
 * certificates must be made before the maker signs, so a leaf is accepted if the anchors need it; a CA
 * certificate is not.
 */
const SHA1_SIGNATURES = ['1.2.840.113549.1.1.5', '1.2.840.10045.4.1'];

/**
 * Checks whether a path (`x5c`, leaf first) leads to a trust anchor at a given time (WebAuthn L3 §7.1 steps
 * 24–25, RFC 5280 §6). Fails closed: without anchors nothing is trusted. The anchor itself is not part of the
 * path, unless it is the attestation certificate (an `x5c` with a single certificate).
 */
export function validateCertificatePath(x5c: readonly Buffer[], policy: PathPolicy): PathVerdict {
  try {
    const path = x5c.map(loadCertificate);
    const anchor = anchorOf(path, policy);
    const isRevoked = policy.lists && isRevokedChain(chainOf(x5c, anchor), policy.lists);
    demand(!isRevoked, 'revoked');
    return { trusted: true, anchor };
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

function anchorOf(path: readonly Certificate[], policy: PathPolicy): Buffer {
  const { at } = policy;
  const anchors = anchorsFor(path[0], policy);
  const last = path[path.length - 1];
  demand(last !== undefined, 'no-certificates');
  for (const certificate of path) checkValidity(certificate, at);
  const itself = anchors.find((anchor) => anchor.equals(last.der));
  if (path.length === 1 && itself !== undefined) return itself;
  path.forEach((certificate, index) => {
    checkLink(certificate, index);
    const issuer = path[index + 1];
    if (issuer === undefined) return;
    demand(isIssuedBy(certificate, issuer), 'not-issued-by-next');
  });
  if (itself !== undefined) return itself;
  demand(anchors.length > 0, 'no-anchors');
  const issuer = anchors.find((anchor) => isUsableAnchor(anchor, last, { at, below: path.length }));
  demand(issuer !== undefined, 'no-anchor-issued-it');
  return issuer;
}

/**
 * Whether a certificate of the chain was revoked by its issuer (RFC 5280 §6.1.3 (a) (3)).
 *
 * @param chain DER, each issued by the next; the last is the anchor, which is trusted as is
 */
export function isRevokedChain(chain: readonly Buffer[], lists: RevocationLists): boolean {
  const [first, ...issuers] = chain.map(loadCertificate);
  let certificate = first;
  return issuers.some((issuer) => {
    const isRevoked = certificate !== undefined && lists.revokes(certificate, issuer);
    certificate = issuer;
    return isRevoked;
  });
}

/** A path with its anchor at the end, unless it ends with the anchor already. */
export const chainOf = (path: readonly Buffer[], anchor: Buffer): readonly Buffer[] =>
  path.at(-1)?.equals(anchor) === true ? path : [...path, anchor];

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

/** Anchors with the same subject may have different keys, so the signature decides, not the name. */
function isUsableAnchor(
  der: Buffer,
  certificate: Certificate,
  { at, below }: { readonly at: Date; readonly below: number },
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
  const named = certificate.x509.checkIssued(issuer.x509) && isAffordableKey(issuer.publicKey);
  return named && certificate.x509.verify(issuer.publicKey);
}

function demand(condition: boolean, fault: PathFault): asserts condition {
  if (!condition) throw new PathError(fault);
}
