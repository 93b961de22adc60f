import { type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto';
import {
  BasicConstraints,
  Certificate as CertificateSchema,
  id_ce_basicConstraints,
  type TBSCertificate,
} from '@peculiar/asn1-x509';
import { type SignatureAlgorithm, signatureAlgorithm } from '../algorithms.js';
import { VerificationKey } from '../cose-key.js';
import { CeremonyError, ensure } from '../failure.js';
import { parseDer } from './der.js';

/** An X.509 certificate (RFC 5280 §4.1) that both the platform and the ASN.1 parser understand. */
export interface Certificate {
  readonly der: Buffer;
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  readonly tbs: TBSCertificate;
  /** By object identifier; none occurs twice (RFC 5280 §4.2). */
  readonly extensions: ReadonlyMap<string, CertificateExtension>;
}

export interface CertificateExtension {
  readonly critical: boolean;
  readonly value: Buffer;
}

/** Room for the largest post-quantum certificates, and little enough to parse at once. */
const MAX_BYTES = 16 * 1024;

/** Loads one DER certificate, or fails with `attestation-certificate`. */
export function loadCertificate(der: Buffer): Certificate {
  ensure(der.length <= MAX_BYTES, 'attestation-certificate', 'certificate is too large');
  const schema = parseDer(der, CertificateSchema);
  ensure(schema !== undefined, 'attestation-certificate', 'not a certificate');
  const { x509, publicKey } = loadX509(der);
  // The platform's loader takes PEM and ignores trailing bytes.
  ensure(x509.raw.equals(der), 'attestation-certificate', 'not exactly one certificate');
  const tbs = schema.tbsCertificate;
  return { der, x509, publicKey, tbs, extensions: readExtensions(tbs) };
}

/** basicConstraints (RFC 5280 §4.2.1.9); undefined when absent. */
export function basicConstraintsOf(certificate: Certificate): BasicConstraints | undefined {
  const extension = certificate.extensions.get(id_ce_basicConstraints);
  if (extension === undefined) return undefined;
  const parsed = parseDer(extension.value, BasicConstraints);
  ensure(parsed !== undefined, 'attestation-certificate', 'basic constraints are malformed');
  return parsed;
}

/**
 * The certificate's key, bound to the statement's algorithm and to the same bounds as credential
 * keys. Fails with `attestation-algorithm` when the algorithm is unknown or not the key's.
 */
export function importCertificateKey(certificate: Certificate, alg: number): VerificationKey {
  const algorithm = signatureAlgorithm(alg);
  ensure(algorithm !== undefined, 'attestation-algorithm', `COSE algorithm ${alg}`);
  return bindCertificateKey(certificate, algorithm);
}

/** As {@link importCertificateKey}, for formats with a choice of algorithms of their own. */
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
    // The key is decoded on first access only, which throws when its point is not on the curve.
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

function readExtensions(tbs: TBSCertificate): ReadonlyMap<string, CertificateExtension> {
  const extensions = new Map<string, CertificateExtension>();
  for (const { extnID, critical, extnValue } of tbs.extensions ?? []) {
    ensure(!extensions.has(extnID), 'attestation-certificate', 'an extension occurs twice');
    extensions.set(extnID, { critical, value: Buffer.from(extnValue.buffer) });
  }
  return extensions;
}
