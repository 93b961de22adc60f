import type { MetadataEntry, MetadataStatement } from '../metadata/metadata-statement.js';
import type { MetadataIndex } from '../metadata/metadata-index.js';
import { validateCertificatePath, type PathFault } from '../certificates/certificate-path.js';
import { loadCertificate } from '../certificates/certificate.js';
import type { RevocationLists } from '../certificates/revocation-lists.js';
import type { VerifiedRegistration } from '../registration.js';
import type { StatusSubject } from '../metadata/status.js';
import { certificatesOf, statementsOf, type AttestationStatement, type Proof } from './format.js';
import { firmwareVersionOf } from './leaf-extensions.js';
import { attestationFormat } from './attestation-formats.js';
import { builtInRoots } from './built-in-roots.js';

/** Why an attestation is not trusted. */
type TrustFault =
  /** There is no statement, or it was not verified. */
  | 'not-attested'
  /** Self attestation by a model without metadata: only the key itself vouches for it. */
  | 'self-attestation'
  /** The TPM did not generate the key, or may export it (TPM 2.0 Part 2 §8.3). */
  | 'key-not-bound'
  /** The metadata of the model does not state this type of attestation. */
  | 'attestation-type'
  /** The metadata of the model does not list the algorithm of the credential. */
  | 'algorithm-not-listed'
  | PathFault;

export interface TrustVerdict {
  readonly trusted: boolean;
  readonly reason?: TrustFault;
  /** What the attestation proves; self attestation may be trusted and proves nothing. */
  readonly proves: Proof;
  /**
   * Whether it proves that the key is in hardware. False for trusted self attestation, for a phone that keeps the key in
   * software, and for a model whose metadata states software.
   */
  readonly isHardware: boolean;
  /**
   * For each statement, the certificates, DER, from the leaf to a root that is in metadata or built in. The
   * addresses of revocation lists in them may be fetched. Chains to an anchor of a relying party are
   * omitted, since anyone may have made them.
   */
  readonly chains?: readonly (readonly Buffer[])[];
  /** The issuing certificates in all statements that are on a path to an anchor, DER. */
  readonly authorities?: readonly Buffer[];
}

/** The evidence to evaluate. */
type TrustEvidence = Pick<VerifiedRegistration, 'attestation' | 'aaguid' | 'algorithm'>;

/** Anchors and metadata to check an attestation against. */
export interface TrustPolicy {
  /** Metadata of authenticator models. */
  readonly metadata?: MetadataIndex | undefined;
  /** Anchors of the relying party, DER, which are valid for every model and format. */
  readonly anchors?: readonly Buffer[];
  /** The time at which the certificates must be valid. */
  readonly at: Date;
  /** Revoked certificates. */
  readonly lists?: RevocationLists | undefined;
}

const SELF_TYPE = 'basic_surrogate';
/** FIDO Registry §3.2: excludes `hardware`, `tee` and `secure_element`. */
const SOFTWARE = 'software';

/** Faults of the path itself, regardless of the anchors. */
const BROKEN: ReadonlySet<TrustFault | undefined> = new Set<TrustFault>([
  'certificate-malformed',
  'not-yet-valid',
  'expired',
  'critical-extension',
  'name-constraints',
  'purpose-not-allowed',
  'weak-signature',
  'root-in-path',
  'not-a-ca',
  'path-too-long',
  'not-issued-by-next',
]);

/** From the weakest to the strongest. */
const PROOFS: readonly Proof[] = ['nothing', 'platform', 'model'];

/**
 * Checks whether the attestation of a verified registration is trusted (WebAuthn L3 §7.1 steps 23–24), and
 * what it then proves. Fails closed: without anchors nothing is trusted. Every statement of a compound
 * attestation must be trusted, and the one that proves most counts. The status of the model is not checked
 * here: see `evaluateStatus`.
 */
export function evaluateTrust(evidence: TrustEvidence, policy: TrustPolicy): TrustVerdict {
  const { attestation } = evidence;
  const verdicts = statementsOf(attestation).map((statement) =>
    evaluateStatement({ ...evidence, attestation: statement }, policy),
  );
  const untrusted = verdicts.find(({ trusted }) => !trusted);
  const strongest = Math.max(...verdicts.map(({ proves }) => PROOFS.indexOf(proves)));
  const chains = verdicts.flatMap((verdict) => verdict.chains ?? []);
  const isHardware = verdicts.some((verdict) => verdict.isHardware);
  const authorities = verdicts.flatMap((verdict) => verdict.authorities ?? []);
  const proves = PROOFS[strongest] ?? 'nothing';
  return untrusted ?? { trusted: true, proves, isHardware, chains, authorities };
}

/**
 * Whether the certificates themselves are at fault (broken, expired, not yet valid, in the wrong order), not
 * merely unknown: E1008R instead of E0038R.
 */
export function isBrokenPath({ reason }: TrustVerdict): boolean {
  return BROKEN.has(reason);
}

/**
 * What status reports are evaluated for: the firmware, if the attestation proves the model, and all certificates.
 *
 * @param verdict of `evaluateTrust` on the attestation
 */
export const statusSubjectOf = (
  attestation: AttestationStatement,
  { proves, chains = [] }: TrustVerdict,
  entry: MetadataEntry | undefined,
): StatusSubject => ({
  firmware: proves === 'model' ? firmwareVersionOf(attestation) : undefined,
  statedVersion: entry?.statement?.authenticatorVersion,
  certificates: [...certificatesOf(attestation), ...chains.flat()],
});

function evaluateStatement(evidence: TrustEvidence, policy: TrustPolicy): TrustVerdict {
  const { attestation, aaguid, algorithm } = evidence;
  const { type, trustPath, unbound = false } = attestation;
  if (type === 'none') return refused('not-attested');
  if (unbound) return refused('key-not-bound');
  const entry = policy.metadata?.entryFor({ aaguid, trustPath });
  const statement = entry?.statement;
  if (statement === undefined && type === 'self') return refused('self-attestation');
  if (statement !== undefined) {
    if (!allowsType(statement, attestation)) return refused('attestation-type');
    if (!statement.algorithms.includes(algorithm)) return refused('algorithm-not-listed');
  }
  return type === 'self'
    ? { trusted: true, proves: 'nothing', isHardware: false }
    : validatePath(evidence, entry, policy);
}

/** The model's metadata must state the type; a `packed` statement may be of one of several types. */
function allowsType(
  { attestationTypes }: MetadataStatement,
  { type, format }: AttestationStatement,
): boolean {
  const allowed = type === 'self' ? [SELF_TYPE] : (attestationFormat(format)?.stated ?? []);
  return attestationTypes.some((stated) => allowed.includes(stated));
}

/**
 * Validates the certificate path. Roots in the model's metadata prove the model. Anchors of the relying party
 * prove what the format proves, and so do the format's built-in roots if the model has no metadata.
 */
function validatePath(
  { attestation, aaguid }: TrustEvidence,
  entry: MetadataEntry | undefined,
  { anchors: givenAnchors = [], at, lists }: TrustPolicy,
): TrustVerdict {
  const { format, trustPath } = attestation;
  const own = rootsOf(entry, format);
  const builtIn = entry === undefined ? builtInRoots(format) : [];
  const anchors = [...own, ...givenAnchors, ...builtIn];
  const path = validateCertificatePath(trustPath, { anchors, sha1Anchors: own, at, lists });
  const { anchor, chain } = path;
  if (!anchor || !chain) return refused(path.reason ?? 'no-anchor-issued-it');
  const isCommon = own.includes(anchor) || builtIn.includes(anchor);
  // Only certificates on the path: anyone can write more behind it.
  const authorities = trustPath.slice(1).filter((der) => chain.includes(der));
  const { proves = 'nothing', ownModels, hasRevokedSerials } = attestationFormat(format) ?? {};
  const chains = isCommon && !hasRevokedSerials ? [chain] : [];
  const isHardware = isInHardware(attestation, entry);
  if (own.includes(anchor)) {
    return { trusted: true, proves: 'model', isHardware, chains, authorities };
  }
  const speaksForIt = !builtIn.includes(anchor) || (ownModels?.includes(aaguid) ?? true);
  return {
    trusted: true,
    proves: proves === 'model' && !speaksForIt ? 'platform' : proves,
    isHardware,
    chains,
    authorities,
  };
}

/** Whether the certificates of a trusted statement prove that the key is in hardware. */
function isInHardware(
  { format, trustPath: [leaf] }: AttestationStatement,
  entry: MetadataEntry | undefined,
): boolean {
  if (entry?.statement?.keyProtection.includes(SOFTWARE)) return false;
  const { isHardwareKey } = attestationFormat(format) ?? {};
  return !isHardwareKey || (leaf !== undefined && isHardwareKey(loadCertificate(leaf)));
}

/**
 * The roots in the metadata, and all built-in roots of the format if the metadata lists one of them: some
 * are newer than the metadata.
 */
function rootsOf(entry: MetadataEntry | undefined, format: string): readonly Buffer[] {
  const named = entry?.statement?.roots ?? [];
  const builtIn = builtInRoots(format);
  const isBuiltIn = named.some((root) => builtIn.some((known) => known.equals(root)));
  return isBuiltIn ? [...named, ...builtIn] : named;
}

function refused(reason: TrustFault): TrustVerdict {
  return { trusted: false, reason, proves: 'nothing', isHardware: false };
}
