import type { VerificationKey } from '../keys/cose-key.js';
import { ensure } from '../failure.js';
import { importCertificateKey, loadCertificate } from '../certificates/certificate.js';
import {
  type AttestationInput,
  type AttestationResult,
  readCertificates,
  readSignature,
  statementMap,
} from './format.js';

const ES256 = -7;
const NO_AAGUID = Buffer.alloc(16);
/** FIDO U2F Raw Message Formats §4.3: "a byte reserved for future use with the value 0x00". */
const RESERVED = Buffer.from([0x00]);
/** SEC 1 §2.3.3: an uncompressed point follows. */
const UNCOMPRESSED = Buffer.from([0x04]);
const P256_CURVE = 'prime256v1';

/** WebAuthn L3 §8.6 "FIDO U2F Attestation Statement Format", its verification procedure. */
export function verifyFidoU2f(input: AttestationInput): AttestationResult {
  const { key, authenticatorData, clientDataHash } = input;
  const statement = statementMap(input.statement, ['sig', 'x5c']);
  const { rpIdHash, credential } = authenticatorData;
  // The specification leaves the AAGUID open; our interface and FIDO's conformance tests require zeros.
  ensure(credential.aaguid.equals(NO_AAGUID), 'u2f-aaguid-not-zero');
  const signature = readSignature(statement);
  const trustPath = readCertificates(statement);
  const [der, ...others] = trustPath;
  ensure(others.length === 0, 'attestation-malformed', 'x5c does not hold exactly one certificate');
  ensure(key.alg === ES256, 'attestation-algorithm', 'the credential key is not of ES256');
  const certificateKey = importP256Key(der);
  const signed = Buffer.concat([
    RESERVED,
    rpIdHash,
    clientDataHash,
    credential.credentialId,
    publicKeyU2f(key),
  ]);
  ensure(certificateKey.verify(signed, signature), 'attestation-signature');
  return { type: 'basic', trustPath };
}

function importP256Key(der: Buffer): VerificationKey {
  const certificate = loadCertificate(der);
  const curve = certificate.publicKey.asymmetricKeyDetails?.namedCurve;
  ensure(curve === P256_CURVE, 'attestation-certificate', 'certificate key is not on P-256');
  return importCertificateKey(certificate, ES256);
}

/** ALG_KEY_ECC_X962_RAW: the form in which U2F signs the credential key. */
function publicKeyU2f({ key }: VerificationKey): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([UNCOMPRESSED, Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}
