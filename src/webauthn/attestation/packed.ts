import { ensure } from '../failure.js';
import { importCertificateKey, loadCertificate } from './certificate.js';
import {
  type AttestationInput,
  type AttestationResult,
  readAlgorithm,
  readCertificates,
  readSignature,
} from './format.js';
import { checkPackedCertificate } from './packed-certificate.js';

/** WebAuthn L3 §8.2 "Packed Attestation Statement Format", its verification procedure. */
export function verifyPacked(input: AttestationInput): AttestationResult {
  const alg = readAlgorithm(input.statement);
  const signature = readSignature(input.statement);
  const signed = Buffer.concat([input.authData, input.clientDataHash]);
  return input.statement.has('x5c')
    ? verifyWithCertificates(input, { alg, signature, signed })
    : verifySelf(input, { alg, signature, signed });
}

interface Signed {
  readonly alg: number;
  readonly signature: Buffer;
  readonly signed: Buffer;
}

function verifyWithCertificates(
  { statement, authenticatorData }: AttestationInput,
  { alg, signature, signed }: Signed,
): AttestationResult {
  const trustPath = readCertificates(statement);
  const [leaf] = trustPath.map(loadCertificate);
  ensure(leaf !== undefined, 'attestation-malformed', 'x5c is empty');
  const key = importCertificateKey(leaf, alg);
  ensure(key.verify(signed, signature), 'attestation-signature');
  checkPackedCertificate(leaf, authenticatorData.credential.aaguid);
  return { type: 'basic', trustPath };
}

function verifySelf(
  { key }: AttestationInput,
  { alg, signature, signed }: Signed,
): AttestationResult {
  ensure(alg === key.alg, 'attestation-algorithm', 'alg is not of the credential key');
  ensure(key.verify(signed, signature), 'attestation-signature');
  return { type: 'self', trustPath: [] };
}
