import type { Signals, UnknownCredential } from './types.js';

type SignalApi = Partial<
  Record<
    'signalAllAcceptedCredentials' | 'signalCurrentUserDetails' | 'signalUnknownCredential',
    (options: object) => Promise<void>
  >
>;

/** Tells the browser what a user's passkeys are now, where it wants to know (L3 §5.1.10). */
export function signalAccount(signals: Signals | undefined): void {
  if (!signals) return;
  const { rpId, userId, allAcceptedCredentialIds, name, displayName } = signals;
  signal('signalAllAcceptedCredentials', { rpId, userId, allAcceptedCredentialIds });
  signal('signalCurrentUserDetails', { rpId, userId, name, displayName });
}

/** Tells the browser that a passkey is of no use: only where the server is sure of it. */
export function signalUnknown(unknown: UnknownCredential | undefined): void {
  if (unknown) signal('signalUnknownCredential', unknown);
}

/** The ceremony is over: what a signal comes to changes nothing of it. */
function signal(method: keyof SignalApi, options: object): void {
  const api = PublicKeyCredential as unknown as SignalApi;
  try {
    api[method]?.(options).catch(() => undefined);
  } catch {
    // A password manager that replaces the API may throw instead.
  }
}
