import { isObject } from '../../../platform/validation/field-validator.js';
import { bytesOf, utf8Of, uuidBytes } from './bytes.js';
import { firstValueOf, tableRows, usersOfRows } from './rows.js';
import type { ReadRecords, SourceKey, SourceRow, SourceUser } from './source.js';

/**
 * Hanko: users with `webauthn_credentials` in the format of its import and export command, or rows of its
 * table `webauthn_credentials` joined with a name of the user. A user's handle is the user's UUID, unless
 * a credential has its own.
 */
export const hanko: ReadRecords = (file) => usersOfRows(tableRows(file), userOf);

function userOf(row: SourceRow): SourceUser {
  const list = row['webauthn_credentials'];
  const all = Array.isArray(list) ? list.map((one) => (isObject(one) ? one : {})) : [row];
  const credentials = all.filter((one) => !isSecondFactor(one));
  const id = firstValueOf(row, 'user_id', ...(Array.isArray(list) ? ['id'] : []));
  const further = credentials.map(ownHandle).filter((handle) => handle !== undefined);
  return {
    username: firstValueOf(row, 'username', 'email', 'address') ?? primaryEmail(row['emails']),
    displayName: firstValueOf(row, 'name_of_user', 'display_name'),
    subject: firstValueOf(row, 'custom_user_id'),
    formerId: id,
    handles: [uuidBytes(id), ...further],
    createdAt: firstValueOf(row, 'user_created_at', ...(Array.isArray(list) ? ['created_at'] : [])),
    keys: credentials.map(keyOf),
    secondFactors: all.length - credentials.length,
  };
}

const FALSE = new Set(['false', 'f', '0']);

/** Whether Hanko accepted the key only after another factor: here it would sign in alone. */
const isSecondFactor = (credential: SourceRow): boolean =>
  !FALSE.has(String(firstValueOf(credential, 'mfa_only') ?? false).toLowerCase());

/** The credential's own handle: the table stores it as text, whose bytes are the handle. */
function ownHandle(credential: SourceRow): Buffer | undefined {
  const handle = firstValueOf(credential, 'user_handle', 'handle');
  return utf8Of(isObject(handle) ? handle['handle'] : handle);
}

function primaryEmail(emails: unknown): unknown {
  const list = (Array.isArray(emails) ? emails : []).filter(isObject);
  return (list.find(({ is_primary: primary }) => primary === true) ?? list[0])?.['address'];
}

const keyOf = (row: SourceRow): SourceKey => ({
  credentialId: bytesOf(firstValueOf(row, 'id', 'credential_id')),
  publicKey: bytesOf(row['public_key']),
  signCount: firstValueOf(row, 'sign_count') ?? 0,
  aaguid: row['aaguid'],
  deviceName: row['name'],
  transports: row['transports'],
  attestationType: row['attestation_type'],
  backupEligible: row['backup_eligible'],
  backedUp: row['backup_state'],
  createdAt: row['created_at'],
  lastUsedAt: row['last_used_at'],
});
