import {
  alternativeName,
  basicConstraints,
  type CertificateParts,
  extendedKeyUsage,
  name,
  writeCertificate,
} from './certificate-writer.js';
import type { KeyPair } from './key-pair.js';
import { attestationRoot } from './attester.js';

/** Attribute types and key purposes of the Trusted Computing Group. */
export const TCG = {
  manufacturer: '2.23.133.2.1',
  model: '2.23.133.2.2',
  version: '2.23.133.2.3',
  aikCertificate: '2.23.133.8.3',
} as const;

/** What a TPM certificate calls its TPM. */
export const TPM_ATTRIBUTES = [
  [TCG.manufacturer, 'id:FFFFF1D0'],
  [TCG.model, 'ServiceFido Test TPM'],
  [TCG.version, 'id:13'],
] as const;

/** Extensions that WebAuthn L3 §8.3.1 asks for. */
export const TPM_EXTENSIONS = [
  basicConstraints(false),
  alternativeName(name(TPM_ATTRIBUTES)),
  extendedKeyUsage(TCG.aikCertificate),
];

/** The certificate of an attestation key of a TPM: proper, but for the parts that a test gives. */
export function tpmCertificate(
  { publicKey }: KeyPair,
  parts: Partial<CertificateParts> = {},
): Buffer {
  const issuer = attestationRoot();
  return writeCertificate({
    subject: [],
    issuer,
    extensions: TPM_EXTENSIONS,
    ...parts,
    publicKey,
  });
}
