import { storedCertificate } from '../certificates/certificate.js';
import { attestationFormat } from './attestation-formats.js';
import { statementsOf, type AttestationStatement } from './format.js';

const SERIAL = /^[0-9a-f]{1,64}$/i;
/** Google's list has some hundred thousand bytes; this size is parsed without a noticeable pause. */
const MAX_LIST_LENGTH = 8 * 1024 * 1024;

/**
 * Serial numbers of certificates whose keys Google has revoked or suspended ("Certificate revocation
 * status list" of Android key attestation), in lower case without leading zeros.
 */
export type RevokedSerials = ReadonlySet<string>;

const serialOf = (hex: string): string => hex.toLowerCase().replace(/^0+(?=.)/, '');

/**
 * Reads the list: `{"entries": {"SERIAL": {"status": "REVOKED" | "SUSPENDED", …}}}`, whose serial numbers are
 * hexadecimal. A listed key is unreliable, whatever its status.
 *
 * @throws Error with a message for administrators
 */
export function readRevokedSerials(json: string): RevokedSerials {
  if (json.length > MAX_LIST_LENGTH) throw new Error('The list is larger than 8 MiB.');
  const { entries } = objectOf(JSON.parse(json));
  const listed = Object.entries(objectOf(entries));
  const wrong = listed.find(([serial, entry]) => !SERIAL.test(serial) || !isEntry(entry));
  if (wrong) throw new Error(`"${wrong[0].slice(0, 64)}" is no serial number with a status.`);
  return new Set(listed.map(([serial]) => serialOf(serial)));
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error('The list is no object with "entries".');
}

const isEntry = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && 'status' in entry;

export function isRevokedPhone(
  attestation: AttestationStatement,
  revoked: RevokedSerials,
): boolean {
  if (revoked.size === 0) return false;
  return statementsOf(attestation)
    .filter(({ format }) => attestationFormat(format)?.hasRevokedSerials)
    .flatMap(({ trustPath }) => trustPath)
    .some((der) => {
      const serial = storedCertificate(der)?.x509.serialNumber;
      return serial !== undefined && revoked.has(serialOf(serial));
    });
}
