import type { AuthenticationJSON, RegistrationJSON } from './types.js';

/** Parses creation options from JSON (WebAuthn L3 §5.1.9), also in browsers without a parser. */
export function creationOptions(
  json: PublicKeyCredentialCreationOptionsJSON,
): PublicKeyCredentialCreationOptions {
  const api: Partial<typeof PublicKeyCredential> = PublicKeyCredential;
  if (api.parseCreationOptionsFromJSON) return api.parseCreationOptionsFromJSON(json);
  return {
    ...json,
    challenge: decode(json.challenge),
    user: { ...json.user, id: decode(json.user.id) },
    excludeCredentials: json.excludeCredentials?.map(descriptor),
    extensions: extensionInputs(json.extensions),
  } as PublicKeyCredentialCreationOptions;
}

/** Parses request options from JSON (WebAuthn L3 §5.1.10), also in browsers without a parser. */
export function requestOptions(
  json: PublicKeyCredentialRequestOptionsJSON,
): PublicKeyCredentialRequestOptions {
  const api: Partial<typeof PublicKeyCredential> = PublicKeyCredential;
  if (api.parseRequestOptionsFromJSON) return api.parseRequestOptionsFromJSON(json);
  return {
    ...json,
    challenge: decode(json.challenge),
    allowCredentials: json.allowCredentials?.map(descriptor),
    extensions: extensionInputs(json.extensions),
  } as PublicKeyCredentialRequestOptions;
}

function descriptor(json: PublicKeyCredentialDescriptorJSON) {
  return { ...json, id: decode(json.id) };
}

/** Decodes the inputs of `prf` and `largeBlob`. No other extension of WebAuthn L3 has inputs with bytes. */
function extensionInputs({
  prf,
  largeBlob,
  ...extensions
}: AuthenticationExtensionsClientInputsJSON = {}): object {
  const { eval: salts, evalByCredential } = prf ?? {};
  const { write, ...blob } = largeBlob ?? {};
  return {
    ...extensions,
    ...(prf && {
      prf: {
        ...(salts && { eval: decodeSalts(salts) }),
        ...(evalByCredential && { evalByCredential: mapValues(evalByCredential, decodeSalts) }),
      },
    }),
    ...(largeBlob && {
      largeBlob: { ...blob, ...(write !== undefined && { write: decode(write) }) },
    }),
  };
}

const decodeSalts = (salts: AuthenticationExtensionsPRFValuesJSON) =>
  mapValues({ ...salts }, decode);

const mapValues = <From, To>(values: { [name: string]: From }, map: (value: From) => To) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

/** Returns the body of `register/complete` for a credential from `navigator.credentials.create()`. */
export function toRegistrationJSON(credential: PublicKeyCredential): RegistrationJSON {
  const response = credential.response as AuthenticatorAttestationResponse;
  return credentialJSON(credential, {
    clientDataJSON: encode(response.clientDataJSON),
    attestationObject: encode(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  });
}

/** Returns the body of `authenticate/complete` for an assertion from `navigator.credentials.get()`. */
export function toAuthenticationJSON(credential: PublicKeyCredential): AuthenticationJSON {
  const response = credential.response as AuthenticatorAssertionResponse;
  return credentialJSON(credential, {
    clientDataJSON: encode(response.clientDataJSON),
    authenticatorData: encode(response.authenticatorData),
    signature: encode(response.signature),
    ...(response.userHandle && { userHandle: encode(response.userHandle) }),
  });
}

/**
 * Replaces the browser's `toJSON()`, which throws if a password manager has replaced the credential, and which would
 * send the secrets of the `prf` and `largeBlob` extensions.
 */
function credentialJSON<Response>(credential: PublicKeyCredential, response: Response) {
  const { prf, largeBlob, ...extensions } = credential.getClientExtensionResults();
  return {
    type: 'public-key' as const,
    id: credential.id,
    rawId: encode(credential.rawId),
    ...(credential.authenticatorAttachment && {
      authenticatorAttachment: credential.authenticatorAttachment as AuthenticatorAttachment,
    }),
    response,
    clientExtensionResults: {
      ...extensions,
      ...(prf?.enabled !== undefined && { prf: { enabled: prf.enabled } }),
      ...(largeBlob?.supported !== undefined && { largeBlob: { supported: largeBlob.supported } }),
    },
  };
}

function encode(buffer: ArrayBuffer): string {
  const bytes = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('');
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
}
