import {
  ASN1_TYPE,
  readIfWellFormed,
  ensureDer,
  ensureType,
  readSmallInteger,
} from '../certificates/asn1.js';
import { loadCertificate } from '../certificates/certificate.js';
import { readDer, type DerElement } from '../certificates/der.js';
import { statementsOf, type AttestationStatement } from './format.js';

/** id-fido-gen-ce-fw-version */
const FIRMWARE_VERSION = '1.3.6.1.4.1.45724.1.1.5';
/** id-fido-gen-ce-sernum */
const SERIAL_NUMBER = '1.3.6.1.4.1.45724.1.1.2';
const MAX_SERIAL_BYTES = 64;

/**
 * The firmware version of the authenticator, from the leaf certificates of an attestation (WebAuthn L3 §8.2.1); the
 * lowest if there are several. It is reliable only if the certificate is trusted. `undefined` if there is none.
 */
export function firmwareVersionOf(attestation: AttestationStatement): number | undefined {
  const versions = readFromLeaves(attestation, FIRMWARE_VERSION, readSmallInteger);
  return versions.length === 0 ? undefined : Math.min(...versions);
}

/**
 * The serial number of the authenticator, hexadecimal, from the leaf of an enterprise attestation (WebAuthn L3
 * §8.2.2). It is reliable only if the certificate is trusted. `undefined` if there is none.
 */
export function serialNumberOf(attestation: AttestationStatement): string | undefined {
  return readFromLeaves(attestation, SERIAL_NUMBER, readSerial)[0];
}

/** The value is an OCTET STRING inside the extension's own OCTET STRING. */
function readSerial(element: DerElement | undefined): string {
  const { content } = ensureType(element, ASN1_TYPE.octetString);
  ensureDer(content.length > 0 && content.length <= MAX_SERIAL_BYTES);
  return content.toString('hex');
}

/** The values of an extension in the leaf of each statement; malformed ones are omitted. */
function readFromLeaves<T extends string | number>(
  attestation: AttestationStatement,
  id: string,
  read: (element: DerElement | undefined) => T,
): readonly T[] {
  return statementsOf(attestation).flatMap(({ trustPath: [leaf] }) => {
    const extension = leaf && loadCertificate(leaf).extensions.get(id);
    const value = extension && readIfWellFormed(() => read(readDer(extension.value)));
    return value ?? [];
  });
}
