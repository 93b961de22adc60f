import { createHash } from 'node:crypto';
import type { CborMap } from '../cbor.js';
import type { VerificationKey } from '../keys/cose-key.js';
import { ensure } from '../failure.js';
import type { Certificate } from '../certificates/certificate.js';
import {
  type AttestationInput,
  type AttestationResult,
  loadLeaf,
  readAlgorithm,
  readCertificates,
  statementMap,
} from './format.js';

const ID_APPLE_NONCE = '1.2.840.113635.100.8.2';
/** SEQUENCE { [1] { OCTET STRING of 32 bytes } }, up to the bytes themselves. */
const NONCE_PREFIX = Buffer.from([0x30, 0x24, 0xa1, 0x22, 0x04, 0x20]);
const NONCE_BYTES = 32;

/** WebAuthn L3 §8.8 "Apple Anonymous Attestation Statement Format", its verification procedure. */
export function verifyApple(input: AttestationInput): AttestationResult {
  const { key, authData, clientDataHash } = input;
  const statement = statementMap(input.statement, ['alg', 'x5c']);
  const trustPath = readCertificates(statement);
  checkAlgorithm(statement, key);
  const leaf = loadLeaf(trustPath);
  const nonce = createHash('sha256').update(authData).update(clientDataHash).digest();
  const sameNonce = readNonce(leaf).equals(nonce);
  ensure(sameNonce, 'attestation-mismatch', 'the nonce is of another ceremony');
  const sameKey = leaf.publicKey.equals(key.key);
  ensure(sameKey, 'attestation-mismatch', 'the certificate is of another key');
  return { type: 'anonca', trustPath };
}

/** Early devices send `alg`, which the published format dropped. */
function checkAlgorithm(statement: CborMap, key: VerificationKey): void {
  if (!statement.has('alg')) return;
  const same = readAlgorithm(statement) === key.alg;
  ensure(same, 'attestation-algorithm', 'alg is not of the credential key');
}

function readNonce({ extensions }: Certificate): Buffer {
  const value = extensions.get(ID_APPLE_NONCE)?.value;
  ensure(value !== undefined, 'attestation-certificate', 'the nonce extension is missing');
  const wellFormed =
    value.length === NONCE_PREFIX.length + NONCE_BYTES &&
    value.subarray(0, NONCE_PREFIX.length).equals(NONCE_PREFIX);
  ensure(wellFormed, 'attestation-certificate', 'the nonce extension is malformed');
  return value.subarray(NONCE_PREFIX.length);
}
