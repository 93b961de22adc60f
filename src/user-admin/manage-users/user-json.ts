import type { FoundCredential, FoundUser } from '../../users/user-rows.js';
import type { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { CredentialView, UserView } from './manage-users.answer.js';

const timeOf = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

/** A user as `list` shows it, without public keys, the user handle and anything about sessions. */
export const userJson = (user: FoundUser, models: AuthenticatorModels): UserView => ({
  username: user.username,
  displayName: user.displayName,
  relyingParty: user.relyingParty.domain,
  createdAt: timeOf(user.createdAt),
  credentials: user.credentials.map((credential) => credentialJson(credential, models)),
});

function credentialJson(credential: FoundCredential, models: AuthenticatorModels): CredentialView {
  const { deviceName, keypair, enabled, signCount, transports, attestationFormat } = credential;
  const { backupEligible, backedUp, serialNumber } = credential;
  const aaguid = aaguidText(credential.aaguid);
  return {
    credentialId: credential.credentialId.toString('base64url'),
    deviceName,
    aaguid,
    authenticatorName: models.name(aaguid),
    registrationDate: timeOf(credential.registeredAt),
    lastUsed: timeOf(credential.lastUsedAt),
    keypair: keypair === null ? null : (JSON.parse(keypair) as unknown),
    enabled,
    signCount,
    transports: transports === '' ? [] : transports.split(','),
    attestationFormat,
    backupEligible,
    backedUp,
    ...(serialNumber !== null && { serialNumber }),
  };
}
