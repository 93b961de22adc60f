/** Returns whether this page can use WebAuthn: the browser supports it, and the page is a secure context. */
export function isSupported(): boolean {
  return typeof PublicKeyCredential === 'function' && 'credentials' in navigator;
}

/** The policy of a document (W3C Permissions Policy §9); Chromium calls it `featurePolicy`, other browsers have none. */
interface DocumentPolicy {
  features(): string[];
  allowsFeature(feature: string): boolean;
}

/**
 * Returns whether the page may open a prompt (WebAuthn L3 §5.10). A frame of another origin may only if its `allow` names
 * the feature. Browsers that do not tell refuse the prompt.
 */
export function isPermitted(call: 'create' | 'get'): boolean {
  const { permissionsPolicy, featurePolicy } = document as Partial<
    Record<'permissionsPolicy' | 'featurePolicy', DocumentPolicy>
  >;
  const policy = permissionsPolicy ?? featurePolicy;
  const feature = `publickey-credentials-${call}`;
  return !policy?.features().includes(feature) || policy.allowsFeature(feature);
}

/** Returns whether the browser can show passkeys in the autofill list of a form field (WebAuthn L3 §5.1.7). */
export async function isAutofillAvailable(): Promise<boolean> {
  return (await capabilities())['conditionalGet'] === true;
}

/**
 * Returns the client capabilities of this browser (names: WebAuthn L3 §5.8.7). It always contains `conditionalGet` and
 * `userVerifyingPlatformAuthenticator`, from the older calls if `getClientCapabilities()` lacks them: an absent key says
 * nothing, and Safari before 18.2 has other names.
 */
export async function capabilities(): Promise<Record<string, boolean>> {
  if (!isSupported()) return {};
  const api: Partial<typeof PublicKeyCredential> = PublicKeyCredential;
  const known: Partial<PublicKeyCredentialClientCapabilities> =
    (await resultOf(() => api.getClientCapabilities?.())) ?? {};
  return {
    ...known,
    conditionalGet:
      known['conditionalGet'] ??
      (await resultOf(() => api.isConditionalMediationAvailable?.())) ??
      false,
    userVerifyingPlatformAuthenticator:
      known['userVerifyingPlatformAuthenticator'] ??
      (await resultOf(() => api.isUserVerifyingPlatformAuthenticatorAvailable?.())) ??
      false,
  };
}

/** Returns what the browser answers, or `undefined` if it has no such call or the call fails. */
async function resultOf<T>(ask: () => Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
