import { parseAttestedAuthenticatorData, parseAuthenticatorData } from './authenticator-data.js';
import { readAttestationObject } from './attestation/attestation-object.js';
import type { ParsedAuthentication } from './authentication.js';
import { decodeBase64Url } from './base64url.js';
import { parseClientData } from './client-data.js';
import { CeremonyError } from './failure.js';
import type { Failure } from './failure.js';
import type { ParsedRegistration } from './registration.js';

/** W3C WebAuthn L3 §5.1 AuthenticatorAttestationResponseJSON, as far as it is needed; unchecked. */
export interface AttestationResponseJson {
  readonly clientDataJSON: unknown;
  readonly attestationObject: unknown;
}

/** W3C WebAuthn L3 §5.1 AuthenticatorAssertionResponseJSON, as far as it is needed; unchecked. */
export interface AssertionResponseJson {
  readonly clientDataJSON: unknown;
  readonly authenticatorData: unknown;
  readonly signature: unknown;
}

/** Member by member, so that of several faults the one that stands first is named. */
export function parseRegistrationJson(response: AttestationResponseJson): ParsedRegistration {
  const { clientDataJSON, attestationObject } = response;
  const clientData = parseClientData(
    bytes(clientDataJSON, 'client-data-missing', 'client-data-malformed'),
  );
  const object = bytes(attestationObject, 'attestation-object-encoding');
  const { format, statement, authData } = readAttestationObject(object);
  return {
    clientData,
    format,
    statement,
    authenticatorDataBytes: authData,
    authenticatorData: parseAttestedAuthenticatorData(authData),
  };
}

/** Member by member, so that of several faults the one that stands first is named. */
export function parseAuthenticationJson(response: AssertionResponseJson): ParsedAuthentication {
  const clientData = parseClientData(
    bytes(response.clientDataJSON, 'client-data-missing', 'client-data-malformed'),
  );
  const authenticatorData = bytes(
    response.authenticatorData,
    'authenticator-data-missing',
    'authenticator-data-malformed',
  );
  return {
    clientData,
    authenticatorData: parseAuthenticatorData(authenticatorData),
    signedBytes: Buffer.concat([authenticatorData, clientData.hash]),
    signature: bytes(response.signature, 'signature-encoding'),
  };
}

function bytes(value: unknown, missing: Failure, malformed: Failure = missing): Buffer {
  if (typeof value !== 'string' || value === '') throw new CeremonyError(missing);
  const decoded = decodeBase64Url(value);
  if (!decoded) throw new CeremonyError(malformed, 'not Base64URL');
  return decoded;
}
