import { tableOf } from '../platform/database/entities/table.js';
import { marksOf } from '../platform/database/padded.js';
import { RelyingPartyEntity } from './relying-party.entity.js';
import { Tenant } from './tenant.entity.js';

const rp = tableOf(RelyingPartyEntity);
const r = tableOf(RelyingPartyEntity, 'r');
const tenant = tableOf(Tenant);
const t = tableOf(Tenant, 't');

/**
 * id, domain, name, origins, policy, well-known, enrolment URL, colour, predecessor, key shapes, folds names,
 * created at, changed at, tenant id: adds it, but not to a tenant that was removed a moment ago: the domain
 * could never be given out again.
 */
export const ADD_RELYING_PARTY = `INSERT INTO ${rp.from}
    (${rp.list('id', 'domain', 'name', 'origins', 'policy', 'wellKnown', 'enrolmentUrl', 'colour')},
     ${rp.list('predecessor', 'keyShapes', 'foldsNames', 'createdAt', 'changedAt', 'tenantId', 'closedAt')})
  SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${tenant.id}, 0 FROM ${tenant.from}
  WHERE ${tenant.id} = ? AND ${tenant.closedAt} = 0`;

export const OPEN_RELYING_PARTIES = `SELECT ${t.name} AS tenant,
    ${r.select('id', 'tenantId', 'domain', 'name', 'origins', 'policy', 'wellKnown')},
    ${r.select('enrolmentUrl', 'colour', 'predecessor', 'keyShapes', 'changedAt')}
  FROM ${r.from} JOIN ${t.from} ON ${t.id} = ${r.tenantId}
  WHERE ${r.closedAt} = 0 AND ${t.closedAt} = 0`;

/*
 * From here on, statements on tables of modules above, whose entities this one does not know: on what closed
 * relying parties and tenants still hold, on what keys look like, and on the names of users.
 */

/** rp, name, limit: the names that come after this one, in the order of their bytes. */
export const NAMES_AFTER = `SELECT username FROM users
  WHERE relying_party_id = ? AND tenant_id = ? AND username > ? ORDER BY username LIMIT ?`;

/** rp, limit: users whose names are not folded yet. */
export const NOT_FOLDED = `SELECT id, username FROM users
  WHERE relying_party_id = ? AND tenant_id = ? AND folded_name IS NULL LIMIT ?`;

/** rp, name, limit: the users whose names come after this one, in the order of the names' bytes. */
export const USERS_AFTER = `SELECT id, username, folded_name AS folded FROM users
  WHERE relying_party_id = ? AND tenant_id = ? AND username > ? ORDER BY username LIMIT ?`;

/** For each user id, name, folded name; then rp, ids: stores the folded name of who still has the name. */
export const foldNamesOf = (users: readonly unknown[]) => `UPDATE users SET folded_name = CASE
    ${users.map(() => 'WHEN id = ? AND username = ? THEN ?').join(' ')} ELSE folded_name END
  WHERE +relying_party_id = ? AND tenant_id = ? AND id IN (${marksOf(users)})`;

/** rp id, twice: marks the relying party as one that folds names, if all of its names are folded. */
export const ALL_ARE_FOLDED = `UPDATE ${rp.from} SET ${rp.foldsNames} = 1 WHERE ${rp.id} = ?
  AND NOT EXISTS (SELECT 1 FROM users WHERE relying_party_id = ? AND folded_name IS NULL)`;

/** rp, folded names: the names as they were registered. */
export const namesOfFolded = (names: readonly unknown[]) => `SELECT username FROM users
  WHERE relying_party_id = ? AND tenant_id = ? AND folded_name IN (${marksOf(names)})`;

/**
 * rp id, hash, limit: the keys whose hashes come next after this one, which are a random sample; for each,
 * all enabled keys of its user, or one row of `null` where there is none.
 */
export const KEYS_BY_CHANCE = `SELECT k.id AS drawn, k.credential_hash AS hash,
    c.id, LENGTH(c.credential_id) AS idBytes, c.transports
  FROM (SELECT id, user_id, credential_hash FROM credentials
    WHERE relying_party_id = ? AND credential_hash > ?
    ORDER BY credential_hash LIMIT ?) k
  LEFT JOIN credentials c ON c.user_id = k.user_id AND c.enabled = 1
  ORDER BY k.credential_hash, c.registered_at, c.id`;

/**
 * limit: some users of closed relying parties. CROSS JOIN makes SQLite begin with these: it has no figures of
 * its tables, and would look at every user there is.
 */
export const LEFT_BEHIND = `SELECT u.id
  FROM ${r.from} CROSS JOIN users u ON u.relying_party_id = ${r.id} WHERE ${r.closedAt} <> 0 LIMIT ?`;

/** Ids of users. */
export const deleteCredentialsOf = (users: readonly unknown[]) =>
  `DELETE FROM credentials WHERE user_id IN (${marksOf(users)})`;

/** Ids of users. */
export const deleteUsers = (users: readonly unknown[]) =>
  `DELETE FROM users WHERE id IN (${marksOf(users)})`;

/** tenant id. */
export const DELETE_WEBHOOKS_OF_TENANT = `DELETE FROM webhooks WHERE tenant_id = ?`;
