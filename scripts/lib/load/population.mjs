import { createHash, randomBytes } from 'node:crypto';
import { displayNameOf, usernameOf } from './names.mjs';

/** The columns that the keys of a load have in common. Such keys cannot sign in. */
const KEY = {
  public_key: Buffer.alloc(77, 'k'),
  algorithm: -7,
  sign_count: 1,
  aaguid: Buffer.alloc(16),
  device_name: 'Security key',
  transports: 'usb',
  attestation_format: 'none',
  attestation_type: 'none',
  attestation_trusted: 0,
  user_verified: 1,
  backup_eligible: 0,
  backed_up: 0,
  enabled: 1,
  last_ceremony: Buffer.alloc(16),
};

export const sha256 = (data) => createHash('sha256').update(data).digest();

/** An ID in the service's format: it begins with the time, so rows are in the order of their creation. */
export function idAt(at, serial) {
  const id = Buffer.from('00000000000070008000000000000000', 'hex');
  id.writeUIntBE(at, 0, 6);
  id.writeUIntBE(serial, 10, 6);
  return id;
}

/** @param party the relying party and its tenant, by column */
export const userRow = (party, { id, username, displayName = username, at }) => ({
  id,
  ...party,
  username: Buffer.from(username),
  display_name: displayName,
  user_handle: sha256(`handle ${username}`),
  created_at: at,
});

/** @param more columns that differ from those of other keys */
export const keyRow = (party, { id, userId, credentialId, at, ...more }) => ({
  ...KEY,
  ...party,
  id,
  user_id: userId,
  credential_id: credentialId,
  credential_hash: sha256(credentialId),
  registered_at: at,
  ...more,
});

/** Users with names as in any town, each with this number of keys. */
export const usersWithKeys = (keys) => (n) => ({
  username: usernameOf(n),
  displayName: displayNameOf(n),
  keys: Array(keys).fill({}),
});

/**
 * Fills the database of a server, which has created its tables, with users who never sign in.
 *
 * @param userOf the nth user: names, for each key what differs from other keys, and events
 */
export async function fill(store, users, userOf = usersWithKeys(1)) {
  const party = await store.relyingParty();
  await store.fill(users, (n) => {
    const { keys, events = [], at = Date.now(), ...names } = userOf(n);
    const user = userRow(party, { id: idAt(at, n), at, ...names });
    const credentials = keys.map((more, k) => {
      const place = { id: idAt(at + k, n), at: at + k, userId: user.id };
      return keyRow(party, { ...place, credentialId: randomBytes(16), ...more });
    });
    const { user_id, username } = { user_id: user.id, username: user.username };
    const rows = events.map(({ kind, at: time, serial }) => ({
      ...{ id: idAt(time, serial), at: time, ...party, user_id, username, kind },
      credential: credentials[0].credential_hash.subarray(0, 8),
    }));
    return { users: [user], credentials, events: rows };
  });
}
