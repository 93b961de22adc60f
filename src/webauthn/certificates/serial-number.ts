import { ASN1_TYPE, attempt, ensureType } from './asn1.js';
import { loadCertificate } from './certificate.js';
import { readDer } from './der.js';
import type { AttestationStatement } from '../attestation/format.js';

/** id-fido-gen-ce-sernum */
const SERIAL_NUMBER = '1.3.6.1.4.1.45724.1.1.2';
const MAX_BYTES = 64;

/**
 * The serial number of the authenticator, hexadecimal, from the leaf of an enterprise attestation (WebAuthn L3
 * §8.2.2). It is reliable only if the certificate is trusted. `undefined` if there is none.
 */
export function serialNumberOf(statement: AttestationStatement): string | undefined {
  const leaves = (statement.statements ?? [statement]).flatMap(
    ({ trustPath: [leaf] }) => leaf ?? [],
  );
  return leaves.map(serialNumberIn).find((serial) => serial !== undefined);
}

function serialNumberIn(leaf: Buffer): string | undefined {
  const extension = loadCertificate(leaf).extensions.get(SERIAL_NUMBER);
  if (extension === undefined) return undefined;
  // The value is an OCTET STRING inside the extension's own OCTET STRING.
  const serial = attempt(() => ensureType(readDer(extension.value), ASN1_TYPE.octetString).content);
  const isOne = serial !== undefined && serial.length > 0 && serial.length <= MAX_BYTES;
  return isOne ? serial.toString('hex') : undefined;
}
