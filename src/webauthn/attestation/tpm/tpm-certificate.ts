import { ensure } from '../../failure.js';
import { checkAttestationLeaf } from '../../certificates/attestation-leaf.js';
import type { Certificate } from '../../certificates/certificate.js';
import { readDirectoryNames, readKeyPurposes } from '../../certificates/certificate-fields.js';

const ID_CE_SUBJECT_ALT_NAME = '2.5.29.17';
const ID_CE_EXT_KEY_USAGE = '2.5.29.37';
/** certificatePolicies, which Windows certificates mark critical although it is only informative. */
const ID_CE_CERTIFICATE_POLICIES = '2.5.29.32';
/** tcg-kp-AIKCertificate */
const TCG_KP_AIK_CERTIFICATE = '2.23.133.8.3';
/** Attribute types of TCG's EK Credential Profile §3.2.9. */
const ATTRIBUTE = {
  manufacturer: '2.23.133.2.1',
  model: '2.23.133.2.2',
  version: '2.23.133.2.3',
} as const;
/**
 * TCG's vendor identifier in hexadecimal digits. It is not checked against TCG's list of vendors: the list
 * grows, and a vendor's name is only as reliable as the certificate path.
 */
const MANUFACTURER = /^id:[0-9A-F]{8}$/;

/**
 * WebAuthn L3 §8.3.1 "TPM Attestation Statement Certificate Requirements", and the AAGUID extension
 * of §8.3. Fails with `attestation-certificate`.
 */
export function checkTpmCertificate(certificate: Certificate, aaguid: Buffer): void {
  const understood = [ID_CE_SUBJECT_ALT_NAME, ID_CE_CERTIFICATE_POLICIES];
  checkAttestationLeaf(certificate, { aaguid, understood });
  const unnamed = certificate.subject.length === 0;
  ensure(unnamed, 'attestation-certificate', 'subject is not empty');
  checkAlternativeName(certificate);
  const usage = valueOf(certificate, ID_CE_EXT_KEY_USAGE, readKeyPurposes);
  const forAik = usage.includes(TCG_KP_AIK_CERTIFICATE);
  ensure(forAik, 'attestation-certificate', 'extended key usage is not of an attestation key');
}

function checkAlternativeName(certificate: Certificate): void {
  // Some vendors encode one name part with three attributes, others three parts with one each.
  const attributes = valueOf(certificate, ID_CE_SUBJECT_ALT_NAME, readDirectoryNames).flat();
  const sole = (type: string): string => {
    const [only, ...others] = attributes.filter((attribute) => attribute.type === type);
    const text = only?.text ?? '';
    const once = text !== '' && others.length === 0;
    ensure(once, 'attestation-certificate', 'a TPM attribute does not occur exactly once');
    return text;
  };
  const manufacturer = sole(ATTRIBUTE.manufacturer);
  const isVendor = MANUFACTURER.test(manufacturer);
  ensure(isVendor, 'attestation-certificate', 'the TPM manufacturer is no vendor identifier');
  sole(ATTRIBUTE.model);
  sole(ATTRIBUTE.version);
}

function valueOf<T>(
  { extensions }: Certificate,
  id: string,
  read: (value: Buffer) => T | undefined,
): T {
  const extension = extensions.get(id);
  ensure(extension !== undefined, 'attestation-certificate', `extension ${id} is missing`);
  const value = read(extension.value);
  ensure(value !== undefined, 'attestation-certificate', `extension ${id} is malformed`);
  return value;
}
