import { randomBytes } from 'node:crypto';
import { openStore } from '../scripts/lib/load/stores.mjs';

/** The common members of all keys of a load, which cannot sign in. */
export const KEY = {
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

/**
 * Fills the database of a running server with users who never sign in, so that the others are searched
 * among many.
 *
 * @param url `sqlite:FILE` or `mysql://…`
 */
export async function fill(url, users) {
  const store = openStore(url);
  try {
    await fillStore(store, users);
  } finally {
    await store.close();
  }
}

/** As `fill`, with other names and numbers of keys: `{ username, displayName, keys }` of the nth user. */
export async function fillStore(store, users, userOf = fillerOf) {
  const rp = await store.relyingParty();
  await store.fill(users, (n) => rowsOf(rp, userOf(n)));
}

const fillerOf = (n) => {
  const username = `filler-${n}@example.com`;
  return { username, displayName: username, keys: 1 };
};

/** Like the service's own IDs, which begin with the time: rows are in the order of their creation. */
function newId(at) {
  const id = randomBytes(16);
  id.writeUIntBE(at, 0, 6);
  return id;
}

function rowsOf(rp, { username, displayName, keys }) {
  const now = Date.now();
  const user = {
    ...{ id: newId(now), username: Buffer.from(username), display_name: displayName },
    ...{ user_handle: randomBytes(32), created_at: now },
  };
  const credentials = Array.from({ length: keys }, () => ({
    ...{ id: newId(now), user_id: user.id, registered_at: now },
    ...{ credential_id: randomBytes(16), credential_hash: randomBytes(32) },
    ...KEY,
    ...rp,
  }));
  return { users: [{ ...user, ...rp }], credentials };
}
