import { attempt, readSmall } from '../certificates/asn1.js';
import { loadCertificate } from '../certificates/certificate.js';
import { readDer } from '../certificates/der.js';
import type { AttestationStatement } from './format.js';

/** id-fido-gen-ce-fw-version */
const FIRMWARE_VERSION = '1.3.6.1.4.1.45724.1.1.5';

/**
 * The firmware version of the authenticator, from the leaf certificates of an attestation (WebAuthn L3 §8.2.1); the
 * lowest if there are several. It is reliable only if the certificate is trusted. `undefined` if there is none.
 */
export function firmwareVersionOf(statement: AttestationStatement): number | undefined {
  const versions = (statement.statements ?? [statement])
    .flatMap(({ trustPath: [leaf] }) => leaf ?? [])
    .flatMap((leaf) => firmwareVersionIn(leaf) ?? []);
  return versions.length === 0 ? undefined : Math.min(...versions);
}

function firmwareVersionIn(leaf: Buffer): number | undefined {
  const extension = loadCertificate(leaf).extensions.get(FIRMWARE_VERSION);
  return extension && attempt(() => readSmall(readDer(extension.value)));
}
