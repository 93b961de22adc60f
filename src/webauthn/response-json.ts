import type { AuthenticationResponse } from './authentication.js';
import { ensureBase64Url, ensureMember, type Failure } from './failure.js';
import type { RegistrationResponse } from './registration.js';

/** The members of a response in W3C WebAuthn L3 §5.1 that are needed; unchecked. */
type Unchecked<Response> = Readonly<Record<keyof Response, unknown>>;

/** The response; each member is decoded when it is read, and each has its own failure. */
export const attestationResponse = (
  json: Unchecked<RegistrationResponse>,
): RegistrationResponse => ({
  get clientDataJSON() {
    return bytes(json, 'clientDataJSON', 'client-data-missing', 'client-data-malformed');
  },
  get attestationObject() {
    return bytes(json, 'attestationObject', 'attestation-object-encoding');
  },
});

/** The response; each member is decoded when it is read, and each has its own failure. */
export const assertionResponse = (
  json: Unchecked<AuthenticationResponse>,
): AuthenticationResponse => ({
  get clientDataJSON() {
    return bytes(json, 'clientDataJSON', 'client-data-missing', 'client-data-malformed');
  },
  get authenticatorData() {
    return bytes(
      json,
      'authenticatorData',
      'authenticator-data-missing',
      'authenticator-data-malformed',
    );
  },
  get signature() {
    return bytes(json, 'signature', 'signature-encoding');
  },
});

function bytes<Name extends string>(
  json: Readonly<Record<Name, unknown>>,
  name: Name,
  missing: Failure,
  malformed: Failure = missing,
): Buffer {
  const value = json[name];
  const isPresent = value !== undefined && value !== null;
  ensureMember(isPresent, missing, { field: name, fault: 'missing' }, `${name} is missing`);
  return ensureBase64Url(value, name, malformed);
}
