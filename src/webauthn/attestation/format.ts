import type { AttestedAuthenticatorData } from '../authenticator-data.js';
import { type CborMap, type CborValue, isCborArray, isCborMap } from '../cbor.js';
import { type Certificate, loadCertificate } from '../certificates/certificate.js';
import type { VerificationKey } from '../keys/cose-key.js';
import { ensure } from '../failure.js';

/** WebAuthn L3 §6.5.3 "attestation types". */
export const ATTESTATION_TYPES = ['none', 'self', 'basic', 'attca', 'anonca'] as const;
export type AttestationType = (typeof ATTESTATION_TYPES)[number];

/**
 * Attestation statement format identifiers that are verified (WebAuthn L3 §8). All others are refused, and so is
 * `android-safetynet`, whose service has ended, unless the caller enables it.
 */
export const ATTESTATION_FORMATS = [
  'none',
  'packed',
  'fido-u2f',
  'apple',
  'android-key',
  'tpm',
  'android-safetynet',
  'compound',
] as const;
export type AttestationFormatName = (typeof ATTESTATION_FORMATS)[number];

/** Input of a format verifier. */
export interface AttestationInput {
  /** A map in every format but `compound`: each checks its own, by {@link statementMap}. */
  readonly statement: CborValue;
  /** The authenticator data as received: statements sign these bytes. */
  readonly authData: Buffer;
  readonly authenticatorData: AttestedAuthenticatorData;
  readonly clientDataHash: Buffer;
  /** The credential public key. */
  readonly key: VerificationKey;
  /** When the ceremony takes place, for statements that contain a time. */
  readonly at: Date | undefined;
  /** Whether formats whose service has ended are verified; by default they are refused. */
  readonly acceptsEndedFormats?: boolean | undefined;
}

export interface AttestationResult {
  readonly type: AttestationType;
  /** Certificates, leaf first, DER; empty if the format has none. */
  readonly trustPath: readonly Buffer[];
  /** Whether the certified key may exist outside the hardware that certifies it; absent means no. */
  readonly unbound?: boolean;
  /** The inner statements of the format `compound`: each must be trusted on its own. */
  readonly statements?: readonly AttestationStatement[];
}

/** A verified statement, whose trust is still to be evaluated. */
export interface AttestationStatement extends AttestationResult {
  readonly format: string;
}

/** The statements of an attestation: several for the format `compound`. */
export const statementsOf = (attestation: AttestationStatement): readonly AttestationStatement[] =>
  attestation.statements ?? [attestation];

/** The certificates of all statements of an attestation, DER. */
export const certificatesOf = (attestation: AttestationStatement): readonly Buffer[] =>
  statementsOf(attestation).flatMap(({ trustPath }) => trustPath);

/** DER certificates, leaf first. */
export type CertificateList = readonly [Buffer, ...Buffer[]];

/** The verification procedure of one format: returns, or fails with a named failure. */
type AttestationVerifier = (input: AttestationInput) => AttestationResult;

/**
 * What an attestation proves if its certificates lead to a trust anchor: nothing, the machine or phone that the
 * key is on (software there chooses the AAGUID), or the authenticator model.
 */
export type Proof = 'nothing' | 'platform' | 'model';

export interface AttestationFormat {
  readonly verify: AttestationVerifier;
  /** What its certificates prove by themselves. */
  readonly proves: Proof;
  /** Attestation types of the format: the statement proves nothing unless the model's metadata states one of them. */
  readonly stated: readonly string[];
  /** Whether a trusted leaf proves that the key is in hardware; absent if it always does. */
  readonly isHardwareKey?: (leaf: Certificate) => boolean;
  /** The models that its built-in roots may attest; absent if they are not limited to certain models. */
  readonly ownModels?: readonly string[];
  /** Whether keys attest after their certificates expire: phones receive both once, from their maker. */
  readonly outlivesCertificates?: boolean;
  /**
   * Whether Google publishes the revoked serial numbers. The addresses of lists in the certificates are not fetched
   * then: phones issue certificates themselves, and a leaked key can issue any.
   */
  readonly hasRevokedSerials?: boolean;
}

/** More certificates than any authenticator sends; each costs a parse. */
const MAX_CERTIFICATES = 8;

export function statementMap(statement: CborValue, members: readonly string[]): CborMap {
  ensure(isCborMap(statement), 'attestation-malformed', 'attStmt is not a map');
  const known = [...statement.keys()].every((key) => members.includes(String(key)));
  ensure(known, 'attestation-malformed', 'attStmt has a member that its format does not know');
  return statement;
}

/** Reads `sig`, a non-empty byte string. */
export function readSignature(statement: CborMap): Buffer {
  const signature = statement.get('sig');
  const present = Buffer.isBuffer(signature) && signature.length > 0;
  ensure(present, 'attestation-malformed', 'sig is not a byte string');
  return signature;
}

export function readAlgorithm(statement: CborMap): number {
  const alg = statement.get('alg');
  ensure(typeof alg === 'number', 'attestation-malformed', 'alg is not an integer');
  return alg;
}

/** Reads `x5c`: one to eight byte strings, leaf first. */
export function readCertificates(statement: CborMap): CertificateList {
  return certificateList(statement.get('x5c'));
}

/** Ensures one to eight byte strings, leaf first. */
export function certificateList(x5c: CborValue | undefined): CertificateList {
  ensure(isCborArray(x5c), 'attestation-malformed', 'x5c is not an array');
  ensure(x5c.length <= MAX_CERTIFICATES, 'attestation-malformed', 'x5c is too long');
  ensure(isCertificateList(x5c), 'attestation-malformed', 'x5c is empty or holds no byte strings');
  return x5c;
}

/** Loads all certificates of a statement, or fails with `attestation-certificate`; returns the leaf. */
export function loadLeaf([leafDer, ...authorities]: CertificateList): Certificate {
  const leaf = loadCertificate(leafDer);
  authorities.forEach(loadCertificate);
  return leaf;
}

function isCertificateList(x5c: readonly CborValue[]): x5c is CertificateList {
  return x5c.length > 0 && x5c.every(Buffer.isBuffer);
}
