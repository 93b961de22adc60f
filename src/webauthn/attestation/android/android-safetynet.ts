import { createHash } from 'node:crypto';

import { ensure } from '../../failure.js';
import { type Certificate, importCertificateKey } from '../../certificates/certificate.js';
import {
  type AttestationInput,
  type AttestationResult,
  loadLeaf,
  statementMap,
} from '../format.js';
import { type JsonMembers, readCertificateChain, readJws } from '../jws.js';

const RS256 = { jose: 'RS256', cose: -257 } as const;
const HOST = 'attest.android.com';
const MAX_AGE_MS = 60_000;

/**
 * WebAuthn L3 §8.5 "Android SafetyNet Attestation Statement Format", its verification procedure. Google has
 * ended the service, so the format is refused like an unknown one unless the caller enables it and passes the
 * time of the ceremony: without a time, a recorded statement would be valid forever.
 */
export function verifyAndroidSafetyNet(input: AttestationInput): AttestationResult {
  const { at, authData, clientDataHash, acceptsEndedFormats = false } = input;
  const isEvaluated = acceptsEndedFormats && at !== undefined;
  ensure(isEvaluated, 'attestation-format-unknown', 'android-safetynet is not evaluated');
  const statement = statementMap(input.statement, ['ver', 'response']);
  const version = statement.get('ver');
  const hasVersion = typeof version === 'string' && version !== '';
  ensure(hasVersion, 'attestation-malformed', 'ver is not text');
  const response = statement.get('response');
  ensure(Buffer.isBuffer(response), 'attestation-malformed', 'response is not a byte string');
  const { header, payload, signed, signature } = readJws(response);
  const isRs256 = header.get('alg') === RS256.jose;
  ensure(isRs256, 'attestation-algorithm', 'the JWS is not signed with RS256');
  const trustPath = readCertificateChain(header);
  const leaf = loadLeaf(trustPath);
  const verified = importCertificateKey(leaf, RS256.cose).verify(signed, signature);
  ensure(verified, 'attestation-signature');
  ensure(isOfHost(leaf), 'attestation-certificate', `the certificate is not of ${HOST}`);
  const nonce = createHash('sha256').update(authData).update(clientDataHash).digest('base64');
  ensure(payload.get('nonce') === nonce, 'attestation-mismatch', 'the nonce is another');
  checkDevice(payload, at);
  return { type: 'basic', trustPath };
}

/** Only alternative names count: the common name of a subject is not a host. */
function isOfHost({ x509 }: Certificate): boolean {
  return x509.checkHost(HOST, { subject: 'never', wildcards: false }) !== undefined;
}

function checkDevice(payload: JsonMembers, at: Date): void {
  const certified = payload.get('ctsProfileMatch') === true;
  ensure(certified, 'attestation-mismatch', 'the device does not match a certified profile');
  const time = payload.get('timestampMs');
  ensure(typeof time === 'number', 'attestation-malformed', 'timestampMs is not a number');
  const age = at.getTime() - time;
  const fresh = age >= 0 && age <= MAX_AGE_MS;
  ensure(fresh, 'attestation-mismatch', 'the statement is not of the last minute');
}
