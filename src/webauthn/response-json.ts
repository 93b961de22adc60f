import type { AuthenticationResponse } from './authentication.js';
import { decodeBase64Url } from './base64url.js';
import { ensure, type Failure } from './failure.js';
import type { RegistrationResponse } from './registration.js';

/** The members of W3C WebAuthn L3 §5.1 AuthenticatorAttestationResponseJSON that are needed; unchecked. */
interface AttestationResponseJson {
  readonly clientDataJSON: unknown;
  readonly attestationObject: unknown;
}

/** The members of W3C WebAuthn L3 §5.1 AuthenticatorAssertionResponseJSON that are needed; unchecked. */
interface AssertionResponseJson {
  readonly clientDataJSON: unknown;
  readonly authenticatorData: unknown;
  readonly signature: unknown;
}

/** The response; each member is decoded when it is read, and each has its own failure. */
export const attestationResponse = (json: AttestationResponseJson): RegistrationResponse => ({
  get clientDataJSON() {
    return bytes(json.clientDataJSON, 'client-data-missing', 'client-data-malformed');
  },
  get attestationObject() {
    return bytes(json.attestationObject, 'attestation-object-encoding');
  },
});

/** The response; each member is decoded when it is read, and each has its own failure. */
export const assertionResponse = (json: AssertionResponseJson): AuthenticationResponse => ({
  get clientDataJSON() {
    return bytes(json.clientDataJSON, 'client-data-missing', 'client-data-malformed');
  },
  get authenticatorData() {
    return bytes(
      json.authenticatorData,
      'authenticator-data-missing',
      'authenticator-data-malformed',
    );
  },
  get signature() {
    return bytes(json.signature, 'signature-encoding');
  },
});

function bytes(value: unknown, missing: Failure, malformed: Failure = missing): Buffer {
  ensure(value !== undefined && value !== null, missing);
  const decoded = typeof value === 'string' ? decodeBase64Url(value) : undefined;
  ensure(decoded !== undefined, malformed, 'not Base64URL');
  return decoded;
}
