import { ensure } from '../failure.js';
import { basicConstraintsOf, type Certificate } from './certificate.js';

const VERSION_3 = 2;
const ID_FIDO_GEN_CE_AAGUID = '1.3.6.1.4.1.45724.1.1.4';
const AAGUID_OCTETS = Buffer.from([0x04, 0x10]);
/**
 * basicConstraints, keyUsage, extKeyUsage: extensions that any leaf may mark critical. The AAGUID is missing,
 * since §8.2.1 forbids marking it critical.
 */
const UNDERSTOOD: readonly string[] = ['2.5.29.19', '2.5.29.15', '2.5.29.37'];

/**
 * Checks the common requirements of WebAuthn L3 §8.2.1 and §8.3.1 for an attestation certificate: version 3, CA
 * false, no critical extension that is not understood, the authenticator's AAGUID if the certificate contains one.
 * Fails with `attestation-certificate`.
 *
 * @param understood further extensions that the format understands, which a leaf may mark critical
 */
export function checkAttestationLeaf(
  certificate: Certificate,
  aaguid: Buffer,
  understood: readonly string[] = [],
): void {
  const isVersion3 = certificate.version === VERSION_3;
  ensure(isVersion3, 'attestation-certificate', 'version is not 3');
  const constraints = basicConstraintsOf(certificate);
  const isEndEntity = constraints?.cA === false && constraints.pathLenConstraint === undefined;
  ensure(isEndEntity, 'attestation-certificate', 'basic constraints do not say CA false');
  for (const [id, { critical }] of certificate.extensions) {
    const known = !critical || UNDERSTOOD.includes(id) || understood.includes(id);
    ensure(known, 'attestation-certificate', 'unknown critical extension');
  }
  checkAaguidExtension(certificate, aaguid);
}

function checkAaguidExtension(certificate: Certificate, aaguid: Buffer): void {
  const extension = certificate.extensions.get(ID_FIDO_GEN_CE_AAGUID);
  if (extension === undefined) return;
  // The value is an OCTET STRING inside the extension's own OCTET STRING.
  const same = extension.value.equals(Buffer.concat([AAGUID_OCTETS, aaguid]));
  ensure(same, 'attestation-certificate', 'the certificate names another AAGUID');
}
