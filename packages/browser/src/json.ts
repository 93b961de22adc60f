import type { AuthenticationJSON, RegistrationJSON } from './types.js';

/** Reads creation options from JSON (L3 §5.1.9), by hand where the browser cannot. */
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

/** Reads request options from JSON (L3 §5.1.10), by hand where the browser cannot. */
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

/** Of the inputs that hold bytes only `prf` came before the browsers' own JSON reader. */
function extensionInputs({
  prf,
  ...others
}: AuthenticationExtensionsClientInputsJSON = {}): object {
  if (!prf) return others;
  const { eval: both, evalByCredential } = prf;
  const byCredential = Object.entries(evalByCredential ?? {}).map(([id, salts]) => [
    id,
    decoded(salts),
  ]);
  return {
    ...others,
    prf: {
      ...(both && { eval: decoded(both) }),
      ...(evalByCredential && { evalByCredential: Object.fromEntries(byCredential) }),
    },
  };
}

const decoded = ({ first, second }: AuthenticationExtensionsPRFValuesJSON) => ({
  first: decode(first),
  ...(second && { second: decode(second) }),
});

/** The body of `register/complete` for a credential that `navigator.credentials.create()` made. */
export function toRegistrationJSON(credential: PublicKeyCredential): RegistrationJSON {
  const response = credential.response as AuthenticatorAttestationResponse;
  return envelope(credential, {
    clientDataJSON: encode(response.clientDataJSON),
    attestationObject: encode(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  });
}

/** The body of `authenticate/complete` for an assertion of `navigator.credentials.get()`. */
export function toAuthenticationJSON(credential: PublicKeyCredential): AuthenticationJSON {
  const response = credential.response as AuthenticatorAssertionResponse;
  return envelope(credential, {
    clientDataJSON: encode(response.clientDataJSON),
    authenticatorData: encode(response.authenticatorData),
    signature: encode(response.signature),
    ...(response.userHandle && { userHandle: encode(response.userHandle) }),
  });
}

/**
 * Written by hand although browsers have `toJSON()`: password managers that replace the credential
 * make it throw, and it would send the secrets of the `prf` and `largeBlob` extensions.
 */
function envelope<Response>(credential: PublicKeyCredential, response: Response) {
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
