import { ATTESTATION_FAILURES, decodeCbor, isCborMap, withFailures } from '../cbor.js';
import { ensure } from '../failure.js';

/**
 * Decodes an attestation object (WebAuthn L3 §6.5.4). Unknown members are ignored, but a key that is not a text string
 * is refused. The statement is a map in every format but `compound`, where it is an array: each format checks its own.
 */
export function readAttestationObject(bytes: Buffer) {
  const object = withFailures(ATTESTATION_FAILURES, () => decodeCbor(bytes));
  ensure(isCborMap(object), 'attestation-malformed', 'not a map');
  const format = object.get('fmt');
  const statement = object.get('attStmt');
  const authData = object.get('authData');
  const textKeys = [...object.keys()].every((key) => typeof key === 'string');
  ensure(textKeys, 'attestation-malformed', 'a key is not text');
  ensure(typeof format === 'string', 'attestation-malformed', 'fmt is not text');
  ensure(statement !== undefined, 'attestation-malformed', 'attStmt is missing');
  const isBytes = Buffer.isBuffer(authData);
  ensure(isBytes, 'attestation-malformed', 'authData is not a byte string');
  return { format, statement, authData };
}
