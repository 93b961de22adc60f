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
 * Returns the client capabilities of this browser (names: WebAuthn L3 §5.8.7). For browsers without
 * `getClientCapabilities()` it contains only `conditionalGet` and `userVerifyingPlatformAuthenticator`.
 */
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
