import { tableOf } from '../database/entities/table.js';
import { marksOf } from '../database/padded.js';
import { RelyingPartyEntity } from './relying-party.entity.js';
import { Tenant } from './tenant.entity.js';

const rp = tableOf(RelyingPartyEntity);
const r = tableOf(RelyingPartyEntity, 'r');
const tenant = tableOf(Tenant);
const t = tableOf(Tenant, 't');

/**
 * id, domain, name, origins, policy, well-known, enrolment URL, colour, predecessor, key shapes, folds names,
 * created at, changed at, tenant id: not into a tenant that was removed a moment ago, since the domain could never be given out again.
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

/** Changes with whatever happens to tenants and relying parties. */
export const TENANCY_VERSION = `SELECT (SELECT COUNT(*) FROM ${rp.from}) AS n,
    (SELECT MAX(${rp.changedAt}) FROM ${rp.from}) AS rp,
    (SELECT MAX(${tenant.changedAt}) FROM ${tenant.from}) AS tenant`;

/*
 * What closed relying parties and tenants still hold, what keys look like, and how users are called. It is of
 * modules above, whose entities this one does not know.
 */

/** rp, name, limit: the names behind one, in the order of their bytes. */
export const NAMES_BEHIND = `SELECT username FROM users
  WHERE relying_party_id = ? AND tenant_id = ? AND username > ? ORDER BY username LIMIT ?`;

/** rp, limit: whose names are not folded. */
export const NOT_FOLDED = `SELECT id, username FROM users
  WHERE relying_party_id = ? AND tenant_id = ? AND folded_name IS NULL LIMIT ?`;

/** rp, name, limit: the same with who has them. */
export const USERS_BEHIND = `SELECT id, username, folded_name AS folded FROM users
  WHERE relying_party_id = ? AND tenant_id = ? AND username > ? ORDER BY username LIMIT ?`;

/** For each user: id, name, folded name; then rp, ids. Changes those who still have that name. */
export const foldNamesOf = (users: readonly unknown[]) => `UPDATE users SET folded_name = CASE
    ${users.map(() => 'WHEN id = ? AND username = ? THEN ?').join(' ')} ELSE folded_name END
  WHERE +relying_party_id = ? AND tenant_id = ? AND id IN (${marksOf(users)})`;

/** id of rp, twice: touches the relying party where all names are folded. */
export const ALL_ARE_FOLDED = `UPDATE ${rp.from} SET ${rp.foldsNames} = 1 WHERE ${rp.id} = ?
  AND NOT EXISTS (SELECT 1 FROM users WHERE relying_party_id = ? AND folded_name IS NULL)`;

/** rp, folded names: as which they are registered. */
export const namesOfFolded = (names: readonly unknown[]) => `SELECT username FROM users
  WHERE relying_party_id = ? AND tenant_id = ? AND folded_name IN (${marksOf(names)})`;

/**
 * rp id, hash behind which, limit: all enabled keys of the users of some keys, or none. Hashes are in no
 * order but that of chance.
 */
export const KEYS_BY_CHANCE = `SELECT k.id AS drawn, k.credential_hash AS hash,
    c.id, LENGTH(c.credential_id) AS idBytes, c.transports
  FROM (SELECT id, user_id, credential_hash FROM credentials
    WHERE relying_party_id = ? AND credential_hash > ?
    ORDER BY credential_hash LIMIT ?) k
  LEFT JOIN credentials c ON c.user_id = k.user_id AND c.enabled = 1
  ORDER BY k.credential_hash, c.registered_at, c.id`;

/** limit: some users of any of them. SQLite, which has no figures of its tables, else looks at every user there is. */
export const LEFT_BEHIND = `SELECT u.id
  FROM ${r.from} CROSS JOIN users u ON u.relying_party_id = ${r.id} WHERE ${r.closedAt} <> 0 LIMIT ?`;

/** Their ids. */
export const deleteCredentialsOf = (users: readonly unknown[]) =>
  `DELETE FROM credentials WHERE user_id IN (${marksOf(users)})`;

export const deleteUsers = (users: readonly unknown[]) =>
  `DELETE FROM users WHERE id IN (${marksOf(users)})`;

/** tenant id. */
export const DELETE_WEBHOOKS_OF_TENANT = `DELETE FROM webhooks WHERE tenant_id = ?`;
