/** True where this page may use WebAuthn at all: a browser that has it, in a secure context. */
export function isSupported(): boolean {
  return typeof PublicKeyCredential === 'function' && 'credentials' in navigator;
}

/** True where passkeys can be offered in the autofill list of a form field (L3 §5.1.7). */
export async function isAutofillAvailable(): Promise<boolean> {
  return (await capabilities())['conditionalGet'] === true;
}

/** What this browser can do, under the names of L3 §5.8.7; older browsers are asked one by one. */
export async function capabilities(): Promise<Record<string, boolean>> {
  if (!isSupported()) return {};
  const api: Partial<typeof PublicKeyCredential> = PublicKeyCredential;
  if (api.getClientCapabilities) {
    return (await api.getClientCapabilities()) as Record<string, boolean>;
  }
  const [conditionalGet, userVerifyingPlatformAuthenticator] = await Promise.all([
    api.isConditionalMediationAvailable?.() ?? false,
    api.isUserVerifyingPlatformAuthenticatorAvailable?.() ?? false,
  ]);
  return { conditionalGet, userVerifyingPlatformAuthenticator };
}
