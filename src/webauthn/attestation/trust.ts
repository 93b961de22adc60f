import type { MetadataEntry } from '../metadata/entry.js';
import type { MetadataIndex } from '../metadata/metadata-index.js';
import type { MetadataStatement } from '../metadata/statement.js';
import { judgeCertificatePath, type PathFault } from './certificate-path.js';
import type { AttestationStatement } from './format.js';
import { builtInRoots } from './roots/built-in.js';

/** Why an attestation is not trusted. */
export type TrustFault =
  /** No statement, or one that nobody looked at. */
  | 'not-attested'
  /** The credential key speaks for itself, and no metadata says that its model does so. */
  | 'self-attestation'
  /** The metadata of the model knows no attestation of this type. */
  | 'attestation-type'
  /** The metadata of the model does not list the algorithm of the credential. */
  | 'algorithm-not-listed'
  | PathFault;

export interface TrustVerdict {
  readonly trusted: boolean;
  readonly reason?: TrustFault;
}

/** What is to be trusted; a `VerifiedRegistration` is one. */
export interface TrustEvidence {
  readonly attestation: AttestationStatement;
  /** Hyphenated, in lower case. */
  readonly aaguid: string;
  /** COSE identifier of the credential's algorithm. */
  readonly algorithm: number;
}

/** Whom to trust. */
export interface TrustPolicy {
  /** What is known of authenticator models. */
  readonly metadata?: MetadataIndex | undefined;
  /** Anchors of the relying party, DER, which serve every model and format. */
  readonly anchors?: readonly Buffer[];
  /** When the certificates must be valid. */
  readonly at: Date;
}

const TRUSTED: TrustVerdict = { trusted: true };
const CERTIFICATE_TYPES: readonly string[] = ['basic_full', 'attca', 'anonca'];
const SELF_TYPE = 'basic_surrogate';

/** Faults of the path itself, whoever is trusted. */
const BROKEN: ReadonlySet<TrustFault | undefined> = new Set<TrustFault>([
  'certificate-malformed',
  'not-yet-valid',
  'expired',
  'critical-extension',
  'weak-signature',
  'root-in-path',
  'not-a-ca',
  'path-too-long',
  'not-issued-by-next',
]);

/**
 * Judges whether the attestation of a verified registration is trusted (WebAuthn L3 §7.1 steps
 * 24–25). Fails closed: where no anchor is known, nothing is. Of a compound attestation every
 * statement must be trusted. The status of the model is not looked at: see `judgeStatus`.
 */
export function judgeTrust(evidence: TrustEvidence, policy: TrustPolicy): TrustVerdict {
  const { attestation } = evidence;
  const verdicts = (attestation.statements ?? [attestation]).map((statement) =>
    judgeStatement({ ...evidence, attestation: statement }, policy),
  );
  return verdicts.find(({ trusted }) => !trusted) ?? TRUSTED;
}

/**
 * Whether the certificates that were sent are at fault themselves (broken, out of their time, in
 * wrong order), and not only unknown: E1008R instead of E0038R.
 */
export function isBrokenPath({ reason }: TrustVerdict): boolean {
  return BROKEN.has(reason);
}

function judgeStatement(evidence: TrustEvidence, policy: TrustPolicy): TrustVerdict {
  const { attestation, aaguid, algorithm } = evidence;
  const { type, trustPath } = attestation;
  if (type === 'none') return refused('not-attested');
  const entry = policy.metadata?.entryFor({ aaguid, trustPath });
  const statement = entry?.statement;
  if (statement === undefined && type === 'self') return refused('self-attestation');
  if (statement !== undefined) {
    if (!allowsType(statement, type)) return refused('attestation-type');
    if (!statement.algorithms.includes(algorithm)) return refused('algorithm-not-listed');
  }
  if (type === 'self') return TRUSTED;
  return judgeCertificatePath(trustPath, {
    anchors: anchorsFor(attestation.format, entry, policy),
    at: policy.at,
  });
}

/** Packed certificates may be those of a batch or of an authority, which only metadata knows. */
function allowsType({ attestationTypes }: MetadataStatement, type: string): boolean {
  const allowed = type === 'self' ? [SELF_TYPE] : CERTIFICATE_TYPES;
  return attestationTypes.some((stated) => allowed.includes(stated));
}

/**
 * The metadata of a model says who speaks for it, and nobody else does: another maker's
 * certificates, or a phone's, would let it pass for a model that it is not.
 */
function anchorsFor(
  format: string,
  entry: MetadataEntry | undefined,
  { metadata, anchors = [] }: TrustPolicy,
): readonly Buffer[] {
  const builtIn = builtInRoots(format);
  if (entry === undefined) return [...anchors, ...builtIn];
  const own = entry.statement?.roots ?? [];
  // A model of Google's has all roots of Google's, also those that are newer than its metadata.
  const isBuiltIn = own.some((root) => builtIn.some((known) => known.equals(root)));
  // TPMs of all vendors attest for Windows, whose entries list them unevenly.
  const ofTpms = format === 'tpm' ? (metadata?.tpmRoots() ?? []) : [];
  return [...anchors, ...own, ...ofTpms, ...(isBuiltIn ? builtIn : [])];
}

function refused(reason: TrustFault): TrustVerdict {
  return { trusted: false, reason };
}
