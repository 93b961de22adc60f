import { ensure } from '../failure.js';
import { type Certificate, basicConstraintsOf } from './certificate.js';

/** Attribute types of the subject (RFC 5280 appendix A.1). */
const ATTRIBUTE = {
  commonName: '2.5.4.3',
  country: '2.5.4.6',
  organization: '2.5.4.10',
  organizationalUnit: '2.5.4.11',
} as const;
const REQUIRED_UNIT = 'Authenticator Attestation';
/** ISO 3166-1 alpha-2 without the codes left to users, but AA: the test vectors of WebAuthn use it. */
const COUNTRY = /^(?!Q[M-Z]|X[A-Z]|ZZ)[A-Z]{2}$/;

const VERSION_3 = 2;
const ID_FIDO_GEN_CE_AAGUID = '1.3.6.1.4.1.45724.1.1.4';
const AAGUID_OCTETS = Buffer.from([0x04, 0x10]);
/**
 * basicConstraints, keyUsage, extKeyUsage: what this leaf may demand us to understand. Not the
 * AAGUID: §8.2.1 forbids to mark it critical.
 */
const UNDERSTOOD = ['2.5.29.19', '2.5.29.15', '2.5.29.37'];

/**
 * WebAuthn L3 §8.2.1 "Certificate Requirements for Packed Attestation Statements", and the AAGUID
 * extension of §8.2. Fails with `attestation-certificate`.
 */
export function checkPackedCertificate(certificate: Certificate, aaguid: Buffer): void {
  const isVersion3 = certificate.tbs.version === VERSION_3;
  ensure(isVersion3, 'attestation-certificate', 'version is not 3');
  checkSubject(certificate);
  const constraints = basicConstraintsOf(certificate);
  const isEndEntity = constraints?.cA === false && constraints.pathLenConstraint === undefined;
  ensure(isEndEntity, 'attestation-certificate', 'basic constraints do not say CA false');
  for (const [id, { critical }] of certificate.extensions) {
    const understood = !critical || UNDERSTOOD.includes(id);
    ensure(understood, 'attestation-certificate', 'unknown critical extension');
  }
  checkAaguidExtension(certificate, aaguid);
}

function checkSubject(certificate: Certificate): void {
  const country = soleAttribute(certificate, ATTRIBUTE.country);
  ensure(COUNTRY.test(country), 'attestation-certificate', 'subject C is not a country');
  const unit = soleAttribute(certificate, ATTRIBUTE.organizationalUnit);
  ensure(unit === REQUIRED_UNIT, 'attestation-certificate', 'subject OU is not as required');
  soleAttribute(certificate, ATTRIBUTE.organization);
  soleAttribute(certificate, ATTRIBUTE.commonName);
}

/** The attribute that occurs once, alone in its name part: printed names can be forged, these not. */
function soleAttribute(certificate: Certificate, type: string): string {
  const parts = certificate.tbs.subject.filter((part) => part.some((entry) => entry.type === type));
  const [only] = parts;
  const sole = parts.length === 1 && only?.length === 1;
  ensure(sole, 'attestation-certificate', 'a subject attribute does not occur exactly once');
  const text = only[0]?.value.toString() ?? '';
  ensure(text !== '', 'attestation-certificate', 'a subject attribute is empty');
  return text;
}

function checkAaguidExtension(certificate: Certificate, aaguid: Buffer): void {
  const extension = certificate.extensions.get(ID_FIDO_GEN_CE_AAGUID);
  if (extension === undefined) return;
  // The value is an OCTET STRING inside the OCTET STRING of every extension.
  const same = extension.value.equals(Buffer.concat([AAGUID_OCTETS, aaguid]));
  ensure(same, 'attestation-certificate', 'the certificate names another AAGUID');
}
