import { bytesOf, utf8Of } from './bytes.js';
import { firstValueOf, tableRows, usersOfRows } from './rows.js';
import type { ReadRecords, SourceRow, SourceUser } from './source.js';

/**
 * Rows of applications that use SimpleWebAuthn: its documentation proposes a table of users and one of
 * passkeys, joined here to one row per passkey. The column names of all its versions are accepted.
 */
export const simplewebauthn: ReadRecords = (file) => usersOfRows(tableRows(file), userOf);

function userOf(row: SourceRow): SourceUser {
  const of = (...names: string[]) => firstValueOf(row, ...names);
  const handle = of('webauthnUserID', 'webAuthnUserID', 'webauthn_user_id', 'userHandle');
  const text = of('userHandleText', 'user_handle_text');
  return {
    username: of('username', 'user_name'),
    displayName: of('displayName', 'display_name'),
    subject: of('userId', 'user_id_text'),
    // Versions before 10 used the user's ID as the handle.
    formerId: of('internalUserId', 'internalUserID', 'internal_user_id') ?? text,
    handles: [handle === undefined ? utf8Of(text) : bytesOf(handle)],
    createdAt: of('userCreatedAt', 'user_created_at'),
    keys: [
      {
        credentialId: bytesOf(of('credentialID', 'credential_id', 'cred_id', 'id')),
        publicKey: bytesOf(of('publicKey', 'public_key', 'cred_public_key', 'credentialPublicKey')),
        signCount: of('counter', 'sign_count') ?? 0,
        aaguid: of('aaguid'),
        deviceName: of('deviceName', 'device_name', 'name'),
        transports: of('transports'),
        backupEligible: eligible(of('deviceType', 'device_type', 'credentialDeviceType'), row),
        backedUp: of('backedUp', 'backed_up', 'backup_status', 'credentialBackedUp'),
        enabled: of('enabled'),
        createdAt: of('createdAt', 'created_at'),
        lastUsedAt: of('lastUsedAt', 'last_used_at', 'last_used', 'lastUsed'),
        rpId: of('rpID', 'rp_id'),
      },
    ],
  };
}

/** The library names a key that can be synced `multiDevice`. */
function eligible(deviceType: unknown, row: SourceRow): unknown {
  if (deviceType === 'multiDevice') return true;
  if (deviceType === 'singleDevice') return false;
  return firstValueOf(row, 'backupEligible', 'backup_eligible');
}
