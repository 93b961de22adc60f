import { type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type SignatureAlgorithm, signatureAlgorithm } from '../keys/algorithms.js';
import { VerificationKey } from '../keys/cose-key.js';
import { CeremonyError, ensure } from '../failure.js';
import type { Extension } from './asn1.js';
import {
  type CertificateFields,
  readBasicConstraints,
  readCertificateFields,
  readKeyPurposes,
} from './certificate-fields.js';

/** An X.509 certificate (RFC 5280 §4.1) that both OpenSSL and our own reader accept. */
export interface Certificate extends Omit<CertificateFields, 'extensions'> {
  readonly der: Buffer;
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  /** By object identifier; none occurs twice (RFC 5280 §4.2). */
  readonly extensions: ReadonlyMap<string, Extension>;
}

/** Large enough for post-quantum certificates, and small enough to parse at once. */
const MAX_BYTES = 16 * 1024;
const ID_CE_BASIC_CONSTRAINTS = '2.5.29.19';
const ID_CE_EXT_KEY_USAGE = '2.5.29.37';

/**
 * Loaded certificates, cached as long as their bytes exist. A registration's certificates exist until it is checked,
 * so each is parsed only once between reading the statement and checking trust; anchors stay cached.
 */
const LOADED = new WeakMap<Buffer, Certificate>();

/** Loads one DER certificate, or fails with `attestation-certificate`. */
export function loadCertificate(der: Buffer): Certificate {
  const loaded = LOADED.get(der) ?? parseCertificate(der);
  LOADED.set(der, loaded);
  return loaded;
}

/** The certificate, or `undefined` if it cannot be read: earlier versions stored some that are refused today. */
export function storedCertificate(der: Buffer): Certificate | undefined {
  try {
    return loadCertificate(der);
  } catch (error) {
    if (error instanceof CeremonyError) return undefined;
    throw error;
  }
}

function parseCertificate(der: Buffer): Certificate {
  ensure(der.length <= MAX_BYTES, 'attestation-certificate', 'certificate is too large');
  const fields = readCertificateFields(der);
  ensure(fields !== undefined, 'attestation-certificate', 'not a certificate');
  const { x509, publicKey } = loadX509(der);
  // Node's loader accepts PEM and ignores trailing bytes.
  ensure(x509.raw.equals(der), 'attestation-certificate', 'not exactly one certificate');
  const extensions = new Map(fields.extensions);
  const once = extensions.size === fields.extensions.length;
  ensure(once, 'attestation-certificate', 'an extension occurs twice');
  return { ...fields, der, x509, publicKey, extensions };
}

/** Key type and hash of accepted signatures on certificates and lists, by object identifier; SHA-1 is missing. */
export const STRONG_SIGNATURES: ReadonlyMap<string, readonly [type: string, hash: string | null]> =
  new Map([
    ['1.2.840.113549.1.1.11', ['rsa', 'sha256']],
    ['1.2.840.113549.1.1.12', ['rsa', 'sha384']],
    ['1.2.840.113549.1.1.13', ['rsa', 'sha512']],
    ['1.2.840.10045.4.3.2', ['ec', 'sha256']],
    ['1.2.840.10045.4.3.3', ['ec', 'sha384']],
    ['1.2.840.10045.4.3.4', ['ec', 'sha512']],
    ['1.3.101.112', ['ed25519', null]],
    ['1.3.101.113', ['ed448', null]],
  ]);

const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 8192;
/** With an exponent of 1 anyone can sign. */
const MIN_RSA_EXPONENT = 3n;
const MAX_RSA_EXPONENT = 0xffff_ffffn;
/** OpenSSL's named curves over prime fields, the largest of which is P-521, with their size. */
const PRIME_CURVE = /^(?:prime|secp|brainpoolP)(\d+)/;
/** As strong as RSA with 2048 bits. */
const MIN_CURVE_BITS = 224;

/**
 * Whether signatures of an authority may be verified with its key. A smaller key can be computed. With a larger RSA
 * key, or on a curve over a binary field or with explicit parameters, a single signature would cost as much as a whole
 * registration may.
 */
export function isUsableKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'ec') {
    return Number(PRIME_CURVE.exec(namedCurve)?.[1] ?? 0) >= MIN_CURVE_BITS;
  }
  if (asymmetricKeyType !== 'rsa' && asymmetricKeyType !== 'rsa-pss') return true;
  const isSized = modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS;
  return isSized && publicExponent >= MIN_RSA_EXPONENT && publicExponent <= MAX_RSA_EXPONENT;
}

/** basicConstraints (RFC 5280 §4.2.1.9); undefined when absent. */
export function basicConstraintsOf({ extensions }: Certificate) {
  const extension = extensions.get(ID_CE_BASIC_CONSTRAINTS);
  if (extension === undefined) return undefined;
  const constraints = readBasicConstraints(extension.value);
  ensure(constraints !== undefined, 'attestation-certificate', 'basic constraints are malformed');
  return constraints;
}

/** extKeyUsage (RFC 5280 §4.2.1.12); `undefined` when absent. */
export function keyPurposesOf({ extensions }: Certificate): readonly string[] | undefined {
  const extension = extensions.get(ID_CE_EXT_KEY_USAGE);
  if (extension === undefined) return undefined;
  const purposes = readKeyPurposes(extension.value);
  ensure(purposes !== undefined, 'attestation-certificate', 'extended key usage is malformed');
  return purposes;
}

/**
 * The certificate's key, bound to the statement's algorithm and subject to the same limits as credential
 * keys. Fails with `attestation-algorithm` if the algorithm is unknown or not the key's.
 */
export function importCertificateKey(certificate: Certificate, alg: number): VerificationKey {
  const algorithm = signatureAlgorithm(alg);
  ensure(algorithm !== undefined, 'attestation-algorithm', `COSE algorithm ${alg}`);
  return bindCertificateKey(certificate, algorithm);
}

/** Like {@link importCertificateKey}, for formats with their own set of algorithms. */
export function bindCertificateKey(
  certificate: Certificate,
  algorithm: SignatureAlgorithm,
): VerificationKey {
  const jwk = exportJwk(certificate.publicKey);
  const fits = algorithm.kind.matches(jwk);
  ensure(fits, 'attestation-algorithm', 'alg is not of the certificate key');
  ensure(algorithm.kind.sound(jwk), 'attestation-certificate', 'certificate key is out of bounds');
  return new VerificationKey(algorithm, certificate.publicKey);
}

function loadX509(der: Buffer): { x509: X509Certificate; publicKey: KeyObject } {
  try {
    const x509 = new X509Certificate(der);
    // The key is decoded on first access, which throws if its point is not on the curve.
    return { x509, publicKey: x509.publicKey };
  } catch {
    throw new CeremonyError('attestation-certificate', 'certificate or its key does not load');
  }
}

function exportJwk(key: KeyObject): JsonWebKey {
  try {
    return key.export({ format: 'jwk' });
  } catch {
    throw new CeremonyError('attestation-certificate', 'certificate key is of an unknown type');
  }
}
