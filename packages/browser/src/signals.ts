import type { Signals, UnknownCredential } from './types.js';

/**
 * Signals a user's current keys to the browser, if it supports this (WebAuthn L3 §5.1.10). Before this resolves, the
 * browser can refuse other requests as busy.
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

/** Signals an unknown passkey to the browser, if the server has reported that no user has it. */
export function signalUnknown(unknown: UnknownCredential | undefined): void {
  if (unknown) void signal(() => PublicKeyCredential.signalUnknownCredential(unknown));
}

/** Sends a signal and ignores errors: the ceremony has already completed. */
async function signal(send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch {
    // The browser has no Signal API or refuses, or a password manager that replaces the API throws.
  }
}
