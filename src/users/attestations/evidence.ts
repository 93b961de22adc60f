import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { derParts } from '../../webauthn/certificates/der.js';
import type { AttestationStatement } from '../../webauthn/attestation/format.js';
import { distinctBytes, mapKey } from '../../platform/database/row-ids.js';
import { sha256 } from '../../platform/common/sha256.js';
import type { Credential } from '../credentials/credential.entity.js';
import type { Attestation, IndexedAttestation } from './attestation.entity.js';

/** The signed bytes: enough to verify the statement again. */
export interface SignedEvidence {
  readonly clientDataHash: Buffer;
  readonly attestationObject: Buffer;
}

/** Parts of the attestation object that the credential's row contains too. */
type Known = Readonly<Pick<Credential, 'credentialId' | 'publicKey'>>;

export type KeptAttestation = Readonly<
  Pick<Attestation, 'evidence' | 'certificates' | 'authorities' | 'proof' | 'uvm'>
>;

export interface NewAttestation extends KeptAttestation {
  /** The certificates that are stored once for all credentials, DER. */
  readonly shared: readonly Buffer[];
}

const HASH_BYTES = 32;
/** Larger than any attestation object in the body of a registration. */
const MAX_OBJECT_BYTES = 128 * 1024;

const pathsOf = ({ trustPath, statements = [] }: AttestationStatement) => [
  trustPath,
  ...statements.map((one) => one.trustPath),
];

/**
 * Creates the row of a verified attestation.
 *
 * @param shared its certificates that are stored once for all credentials
 */
export function keptAttestation(
  statement: AttestationStatement,
  {
    shared,
    uvm,
    ...signed
  }: SignedEvidence & Known & { shared: readonly Buffer[]; uvm: string | null },
): NewAttestation {
  const names = new Set(shared.map(mapKey));
  const own = distinctBytes(pathsOf(statement).flat()).filter((der) => !names.has(mapKey(der)));
  const certificates = Buffer.concat(own);
  const places = new Map([...own, ...shared].map((der, place) => [mapKey(der), place]));
  const { clientDataHash, attestationObject } = signed;
  const proof = Buffer.concat([clientDataHash, attestationObject]);
  const dictionary = dictionaryOf(signed, [...own, ...shared]);
  return {
    evidence: evidenceOf(statement, places),
    certificates,
    authorities: Buffer.concat(shared.map(sha256)),
    proof: deflateRawSync(proof, { level: 9, dictionary }),
    uvm,
    shared,
  };
}

/** SHA-256 of each certificate that is stored once for all credentials. */
export const sharedHashes = ({ authorities }: Pick<KeptAttestation, 'authorities'>) =>
  Array.from({ length: authorities.length / HASH_BYTES }, (_, n) =>
    authorities.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES),
  );

/** CA certificates (DER) by their SHA-256, as `mapKey` writes it. */
export type SharedCertificates = ReadonlyMap<string, Buffer>;

/** Whether none of the certificates of `sharedHashes` is absent. */
export const hasShared = (
  row: Pick<KeptAttestation, 'authorities'>,
  authorities: SharedCertificates,
): boolean => sharedHashes(row).every((digest) => authorities.has(mapKey(digest)));

/**
 * The certificates of `sharedHashes`, in the same order.
 *
 * @throws Error if one is absent: without it, the attestation would seem to lead to no anchor
 */
export const sharedBy = (
  row: Pick<KeptAttestation, 'authorities'>,
  authorities: SharedCertificates,
): readonly Buffer[] =>
  sharedHashes(row).map((digest) => {
    const certificate = authorities.get(mapKey(digest));
    if (!certificate) throw new Error('A CA certificate of a key is not stored.');
    return certificate;
  });

/**
 * The statement as it was verified.
 *
 * @param shared the certificates of `sharedHashes`
 */
export function statementOf(
  { evidence, certificates }: Pick<KeptAttestation, 'evidence' | 'certificates'>,
  shared: readonly Buffer[],
): AttestationStatement {
  return restored(evidence, [...derParts(certificates), ...shared]);
}

/**
 * The signed bytes.
 *
 * @param shared the certificates of `sharedHashes`
 */
export function proofOf(
  { certificates, proof }: Pick<KeptAttestation, 'certificates' | 'proof'>,
  known: Known,
  shared: readonly Buffer[],
): SignedEvidence {
  const dictionary = dictionaryOf(known, [certificates, ...shared]);
  const bytes = inflateRawSync(proof, { dictionary, maxOutputLength: MAX_OBJECT_BYTES });
  return {
    clientDataHash: bytes.subarray(0, HASH_BYTES),
    attestationObject: bytes.subarray(HASH_BYTES),
  };
}

/**
 * The compression dictionary: the parts of the attestation object that are stored elsewhere, which are most of it. The
 * compressed proof only refers to them.
 */
const dictionaryOf = ({ credentialId, publicKey }: Known, certificates: readonly Buffer[]) =>
  Buffer.concat([...certificates, credentialId, publicKey]);

function evidenceOf(
  { trustPath, statements, format, type, unbound }: AttestationStatement,
  places: ReadonlyMap<string, number>,
): IndexedAttestation {
  return {
    format,
    type,
    ...(unbound === true && { unbound }),
    trustPath: trustPath.flatMap((der) => places.get(mapKey(der)) ?? []),
    ...(statements && { statements: statements.map((one) => evidenceOf(one, places)) }),
  };
}

function restored(
  { trustPath, statements, ...others }: IndexedAttestation,
  certificates: readonly Buffer[],
): AttestationStatement {
  return {
    ...others,
    trustPath: trustPath.flatMap((place) => certificates[place] ?? []),
    ...(statements && { statements: statements.map((one) => restored(one, certificates)) }),
  };
}
