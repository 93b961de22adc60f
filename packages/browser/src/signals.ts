import type { Signals, UnknownCredential } from './types.js';

/**
 * Signals a user's current passkeys to the browser, where it supports this (L3 §5.1.10). Until this resolves it
 * may be busy for other requests.
 */
export async function signalAccount(signals: Signals | undefined): Promise<void> {
  if (!signals) return;
  const { rpId, userId, allAcceptedCredentialIds, name, displayName } = signals;
  await Promise.all([
    signal(() =>
      PublicKeyCredential.signalAllAcceptedCredentials({ rpId, userId, allAcceptedCredentialIds }),
    ),
    signal(() => PublicKeyCredential.signalCurrentUserDetails({ rpId, userId, name, displayName })),
  ]);
}

/** Signals an unknown passkey to the browser, only if the server is sure of it. */
export function signalUnknown(unknown: UnknownCredential | undefined): void {
  if (unknown) void signal(() => PublicKeyCredential.signalUnknownCredential(unknown));
}

/** The ceremony is over: what a signal comes to changes nothing of it. */
async function signal(tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch {
    // There is none, it refuses, or a password manager that replaces it throws.
  }
}
