import { ensure } from '../failure.js';
import { importCertificateKey, type Certificate } from '../certificates/certificate.js';
import { checkAttestationLeaf } from '../certificates/attestation-leaf.js';
import {
  loadLeaf,
  readAlgorithm,
  readCertificates,
  readSignature,
  statementMap,
  type AttestationInput,
  type AttestationResult,
  type CertificateList,
} from './format.js';

interface Claim {
  readonly alg: number;
  readonly signature: Buffer;
  readonly signed: Buffer;
}

/** WebAuthn L3 §8.2 "Packed Attestation Statement Format", its verification procedure. */
export function verifyPacked(input: AttestationInput): AttestationResult {
  const statement = statementMap(input.statement, ['alg', 'sig', 'x5c']);
  const claim: Claim = {
    alg: readAlgorithm(statement),
    signature: readSignature(statement),
    signed: Buffer.concat([input.authData, input.clientDataHash]),
  };
  return statement.has('x5c')
    ? verifyWithCertificates(input, claim, readCertificates(statement))
    : verifySelf(input, claim);
}

function verifyWithCertificates(
  { authenticatorData }: AttestationInput,
  { alg, signature, signed }: Claim,
  trustPath: CertificateList,
): AttestationResult {
  const leaf = loadLeaf(trustPath);
  const key = importCertificateKey(leaf, alg);
  ensure(key.verify(signed, signature), 'attestation-signature');
  checkSubject(leaf);
  checkAttestationLeaf(leaf, authenticatorData.credential.aaguid);
  return { type: 'basic', trustPath };
}

function verifySelf(
  { key }: AttestationInput,
  { alg, signature, signed }: Claim,
): AttestationResult {
  ensure(alg === key.alg, 'attestation-algorithm', 'alg is not of the credential key');
  ensure(key.verify(signed, signature), 'attestation-signature');
  return { type: 'self', trustPath: [] };
}

/** Attribute types of the subject (RFC 5280 appendix A.1). */
const ATTRIBUTE = {
  commonName: '2.5.4.3',
  country: '2.5.4.6',
  organization: '2.5.4.10',
  organizationalUnit: '2.5.4.11',
} as const;
const REQUIRED_UNIT = 'Authenticator Attestation';
/** ISO 3166-1 alpha-2 without its user-assigned codes, except AA: WebAuthn's test vectors use it. */
const COUNTRY = /^(?!Q[M-Z]|X[A-Z]|ZZ)[A-Z]{2}$/;

/**
 * WebAuthn L3 §8.2.1 "Certificate Requirements for Packed Attestation Statements", as far as they concern the subject.
 * Fails with `attestation-certificate`.
 */
function checkSubject(certificate: Certificate): void {
  const country = soleAttribute(certificate, ATTRIBUTE.country);
  ensure(COUNTRY.test(country), 'attestation-certificate', 'subject C is not a country');
  const unit = soleAttribute(certificate, ATTRIBUTE.organizationalUnit);
  ensure(unit === REQUIRED_UNIT, 'attestation-certificate', 'subject OU is not as required');
  soleAttribute(certificate, ATTRIBUTE.organization);
  soleAttribute(certificate, ATTRIBUTE.commonName);
}

/** The text of an attribute that occurs once, alone in its name part. The printed subject could be forged. */
function soleAttribute(certificate: Certificate, type: string): string {
  const parts = certificate.subject.filter((part) => part.some((entry) => entry.type === type));
  const [only] = parts;
  const sole = parts.length === 1 && only?.length === 1;
  ensure(sole, 'attestation-certificate', 'a subject attribute does not occur exactly once');
  const text = only[0]?.text ?? '';
  ensure(text !== '', 'attestation-certificate', 'a subject attribute is empty');
  return text;
}
