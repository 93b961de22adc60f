import { isObject, parsedJson } from '../../../platform/validation/field-validator.js';
import { isDisplayName } from '../../../platform/validation/values/names.js';
import { bytesOf, utf8Of } from './bytes.js';
import { jsonElements } from './json-elements.js';
import type { SourceKey, SourceRecord, SourceRow, SourceUser } from './source.js';

/** Types of credentials, and the member of the realm that contains the RP ID of each. */
const RP_ID_OF = new Map([
  ['webauthn', 'webAuthnPolicyRpId'],
  ['webauthn-passwordless', 'webAuthnPolicyPasswordlessRpId'],
]);

/**
 * A realm that Keycloak exported with its users, or a file of users alone. A user's handle is the text of the
 * user's ID; Keycloak does not store whether a key can be synced.
 */
export async function* keycloak(file: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord> {
  const realm = new Map<string, string>();
  const text = (name: string, value: string) => void realm.set(name, value);
  for await (const item of jsonElements(file, { member: 'users', text })) {
    const { line } = item;
    yield 'fault' in item ? item : { line, user: userOf(item.value, realm) };
  }
}

function userOf(row: SourceRow, realm: ReadonlyMap<string, string>): SourceUser {
  const { username, id, enabled, createdTimestamp, credentials } = row;
  const list = (Array.isArray(credentials) ? credentials : []).filter(isObject);
  return {
    username,
    displayName: fullName(row) ?? username,
    handles: [utf8Of(id)],
    createdAt: createdTimestamp,
    keys: list
      .filter(({ type }) => RP_ID_OF.has(String(type)))
      .map((credential) => keyOf(credential, enabled !== false, realm)),
  };
}

function fullName({ firstName, lastName }: SourceRow): string | undefined {
  const name = [firstName, lastName].filter((part) => typeof part === 'string').join(' ');
  return isDisplayName(name) ? name : undefined;
}

function keyOf(
  credential: SourceRow,
  enabled: boolean,
  realm: ReadonlyMap<string, string>,
): SourceKey {
  const { type, userLabel, createdDate, credentialData } = credential;
  const data = parsed(credentialData);
  return {
    credentialId: bytesOf(data['credentialId']),
    publicKey: bytesOf(data['credentialPublicKey']),
    signCount: data['counter'] ?? 0,
    aaguid: data['aaguid'],
    deviceName: userLabel,
    transports: data['transports'],
    attestationFormat: data['attestationStatementFormat'],
    enabled,
    createdAt: createdDate,
    // If the policy does not set it, Keycloak uses its own host name, which the file does not contain.
    rpId: realm.get(RP_ID_OF.get(String(type)) ?? '') || undefined,
  };
}

/** Parses a text of the file that is JSON itself; anything but an object counts as empty. */
function parsed(text: unknown): SourceRow {
  const value = isObject(text) ? text : parsedJson(String(text));
  return isObject(value) ? value : {};
}
