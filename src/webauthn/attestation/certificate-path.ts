import { CeremonyError } from '../failure.js';
import {
  basicConstraintsOf,
  type Certificate,
  isAffordableKey,
  loadCertificate,
} from './certificate.js';
import type { RevocationLists } from './revocation-lists.js';

/** Why a path is not trusted: what is wrong with itself first, then that nobody vouches for it. */
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
  /** Its authority has revoked a certificate of a path that leads to an anchor. */
  | 'revoked'
  | 'no-anchors'
  | 'no-anchor-issued-it';

export interface PathVerdict {
  readonly trusted: boolean;
  readonly reason?: PathFault;
  /** The first of the anchors that the path leads to. */
  readonly anchor?: Buffer;
}

export interface PathPolicy {
  /** Certificates that are trusted as they are, DER. */
  readonly anchors: readonly Buffer[];
  /** Anchors that may have signed a leaf with SHA-1; no others may. */
  readonly sha1Anchors?: readonly Buffer[];
  readonly at: Date;
  /** What authorities have revoked, at whatever time. */
  readonly lists?: RevocationLists | undefined;
}

class PathError extends Error {
  constructor(readonly fault: PathFault) {
    super(fault);
  }
}

const VERSION_1 = 0;
/**
 * basicConstraints, keyUsage, extKeyUsage; subjectAltName and certificatePolicies, which TPMs have
 * critical and which bind nobody here: no policy is asked for (RFC 5280 §6.1.1 (c) any-policy), and
 * what could ask for one, policyConstraints, is not understood, nor are name constraints.
 */
const UNDERSTOOD = ['2.5.29.19', '2.5.29.15', '2.5.29.37', '2.5.29.17', '2.5.29.32'];

/** RSA and ECDSA with SHA-2, Ed25519, Ed448. */
const STRONG_SIGNATURES = [
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
  '1.3.101.113',
];

/**
 * RSA and ECDSA with SHA-1, which makers of U2F keys used for leaves, FIDO's conformance tests
 * among them. Colliding certificates must be made before the maker signs, so a leaf may pass where
 * the anchors demand it; an authority may not.
 */
const SHA1_SIGNATURES = ['1.2.840.113549.1.1.5', '1.2.840.10045.4.1'];

/**
 * Checks whether a path (`x5c`, leaf first) leads to a trust anchor at a given time (WebAuthn L3
 * §7.1 steps 24–25, RFC 5280 §6). Fails closed: without anchors nothing is trusted. The anchor
 * itself is not part of the path, unless it is the attestation certificate (`x5c` of one).
 */
export function validateCertificatePath(x5c: readonly Buffer[], policy: PathPolicy): PathVerdict {
  try {
    const path = x5c.map(loadCertificate);
    const anchor = anchorOf(path, policy);
    checkRevocation(path, anchor, policy);
    return { trusted: true, anchor };
  } catch (error) {
    if (error instanceof PathError) return { trusted: false, reason: error.fault };
    if (error instanceof CeremonyError) return { trusted: false, reason: 'certificate-malformed' };
    throw error;
  }
}

/**
 * The path without a self-signed certificate at its end, unless that is the attestation certificate
 * itself. Some send the root along, which the format allows; whom to trust, the anchors say, so that
 * it is no part of the path.
 */
export function withoutRoot(path: readonly Certificate[]): readonly Certificate[] {
  const last = path.slice(1).at(-1)?.x509;
  return last?.checkIssued(last) === true ? path.slice(0, -1) : path;
}

/**
 * Why the certificates are out of their time, if one is; undefined when all are in it. A time on
 * either limit is in it (RFC 5280 §4.1.2.5). Fails with `attestation-certificate`.
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

/** RFC 5280 §6.1.3 (a) (3). Anchors are trusted as they are. */
function checkRevocation(
  path: readonly Certificate[],
  anchor: Buffer,
  { lists }: PathPolicy,
): void {
  if (lists === undefined) return;
  path.forEach((certificate, index) => {
    if (certificate.der.equals(anchor)) return;
    const issuer = path[index + 1] ?? loadCertificate(anchor);
    demand(!lists.revokes(certificate, issuer), 'revoked');
  });
}

function anchorsFor(
  leaf: Certificate | undefined,
  { anchors, sha1Anchors = [] }: PathPolicy,
): readonly Buffer[] {
  const isWeak = leaf !== undefined && SHA1_SIGNATURES.includes(leaf.signatureAlgorithm);
  // An anchor that is the attestation certificate itself is trusted as it is, however signed.
  if (!isWeak || anchors.some((anchor) => anchor.equals(leaf.der))) return anchors;
  demand(sha1Anchors.length > 0, 'weak-signature');
  return sha1Anchors;
}

/** What every certificate of the path must keep; `index` is the number of certificates below it. */
function checkLink(certificate: Certificate, index: number): void {
  const { signatureAlgorithm } = certificate;
  const isWeakLeaf = index === 0 && SHA1_SIGNATURES.includes(signatureAlgorithm);
  demand(isWeakLeaf || STRONG_SIGNATURES.includes(signatureAlgorithm), 'weak-signature');
  demand(!isIssuedBy(certificate, certificate), 'root-in-path');
  for (const [id, { critical }] of certificate.extensions) {
    demand(!critical || UNDERSTOOD.includes(id), 'critical-extension');
  }
  if (index > 0) checkAuthority(certificate, index);
}

/**
 * RFC 5280 §6.1.4 (k)–(m); `below` counts the certificates under it, the leaf included. Step (n), the
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

/** Anchors with the same subject may have different keys: the signature decides, not the name. */
function isUsableAnchor(
  der: Buffer,
  certificate: Certificate,
  { at, below }: { readonly at: Date; readonly below: number },
): boolean {
  try {
    const anchor = loadCertificate(der);
    checkValidity(anchor, at);
    // RFC 5280 §6.1.4 (k): version 1 has no extensions, its authority is known by other means.
    if (anchor.version !== VERSION_1) checkAuthority(anchor, below);
    return isIssuedBy(certificate, anchor);
  } catch (error) {
    if (error instanceof PathError || error instanceof CeremonyError) return false;
    throw error;
  }
}

/**
 * Which certificate issued which, for as long as both are loaded: checking a signature is most of what a
 * path costs, and stored keys of a model, which are held against its roots again, share certificates.
 */
const ISSUED = new WeakMap<Certificate, WeakMap<Certificate, boolean>>();

function isIssuedBy(certificate: Certificate, issuer: Certificate): boolean {
  const known = ISSUED.get(certificate) ?? new WeakMap<Certificate, boolean>();
  ISSUED.set(certificate, known);
  const issued = known.get(issuer) ?? verifiesBy(certificate, issuer);
  known.set(issuer, issued);
  return issued;
}

/** `checkIssued` compares names and key identifiers, and heeds a keyUsage without keyCertSign. */
function verifiesBy(certificate: Certificate, issuer: Certificate): boolean {
  const named = certificate.x509.checkIssued(issuer.x509) && isAffordableKey(issuer.publicKey);
  return named && certificate.x509.verify(issuer.publicKey);
}

function demand(condition: boolean, fault: PathFault): asserts condition {
  if (!condition) throw new PathError(fault);
}
