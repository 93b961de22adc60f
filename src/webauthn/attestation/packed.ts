import { ensure } from '../failure.js';
import { importCertificateKey, loadCertificate } from '../certificates/certificate.js';
import {
  type AttestationInput,
  type AttestationResult,
  type CertificateList,
  readAlgorithm,
  readCertificates,
  readSignature,
  statementMap,
} from './format.js';
import { checkPackedCertificate } from './packed-certificate.js';

interface Claim {
  readonly alg: number;
  readonly signature: Buffer;
  readonly signed: Buffer;
}

/** WebAuthn L3 §8.2 "Packed Attestation Statement Format", its verification procedure. */
export function verifyPacked(input: AttestationInput): AttestationResult {
  const statement = statementMap(input.statement, ['alg', 'sig', 'x5c']);
  const claim: Claim = {
    alg: readAlgorithm(statement),
    signature: readSignature(statement),
    signed: Buffer.concat([input.authData, input.clientDataHash]),
  };
  return statement.has('x5c')
    ? verifyWithCertificates(input, claim, readCertificates(statement))
    : verifySelf(input, claim);
}

function verifyWithCertificates(
  { authenticatorData }: AttestationInput,
  { alg, signature, signed }: Claim,
  trustPath: CertificateList,
): AttestationResult {
  const [leafDer, ...authorities] = trustPath;
  const leaf = loadCertificate(leafDer);
  authorities.forEach(loadCertificate);
  const key = importCertificateKey(leaf, alg);
  ensure(key.verify(signed, signature), 'attestation-signature');
  checkPackedCertificate(leaf, authenticatorData.credential.aaguid);
  return { type: 'basic', trustPath };
}

function verifySelf(
  { key }: AttestationInput,
  { alg, signature, signed }: Claim,
): AttestationResult {
  ensure(alg === key.alg, 'attestation-algorithm', 'alg is not of the credential key');
  ensure(key.verify(signed, signature), 'attestation-signature');
  return { type: 'self', trustPath: [] };
}
