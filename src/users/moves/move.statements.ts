import { eachKind, tableOf } from '../../platform/database/entities/table.js';
import { marksOf } from '../../platform/database/padded.js';
import { Credential } from '../credentials/credential.entity.js';
import { User } from '../user.entity.js';
import { Move } from './move.entity.js';
import { SeparateName } from './separate-name.entity.js';

/* Comments name the parameters in their order; `rp` is `scopeParams` of the new domain. */

const credential = tableOf(Credential);
const c = tableOf(Credential, 'c');
const n = tableOf(User, 'n');
const o = tableOf(User, 'o');
const move = tableOf(Move);
const separate = tableOf(SeparateName);

/**
 * rp of the old domain, credential hash, user id: changes nothing, but finds no row where the credential is
 * no longer this user's, or no longer enabled. It is the guard of units for which this credential vouches.
 */
export const STILL_ENABLED = `UPDATE ${credential.from} SET ${credential.enabled} = 1
  WHERE ${credential.positionalScope} AND ${credential.credentialHash} = ? AND ${credential.userId} = ?
    AND ${credential.enabled} = 1`;

/** rp id of the new domain, rp of the old one: users of the old one, and how many have a key at the new. */
export const COUNT_MOVED = `SELECT COUNT(*) AS users, COUNT(k.id) AS moved
  FROM ${o.from}
  LEFT JOIN (SELECT ${n.id}, ${n.username} FROM ${n.from}
    WHERE ${n.relyingPartyId} = ? AND EXISTS
      (SELECT 1 FROM ${c.from} WHERE ${c.userId} = ${n.id})) k ON k.username = ${o.username}
  WHERE ${o.positionalScope}`;

/** rp, user ids: which users of the old domain these are. */
export const linksOf = (ids: readonly unknown[]) =>
  `SELECT ${move.select('userId', 'formerUserId')} FROM ${move.from}
  WHERE ${move.positionalScopeOfIds} AND ${move.userId} IN (${marksOf(ids)})`;

/** rp, user ids of the old domain: which users these are here. */
export const linksOfFormer = (ids: readonly unknown[]) =>
  `SELECT ${move.select('userId', 'formerUserId')} FROM ${move.from}
  WHERE ${move.positionalScope} AND ${move.formerUserId} IN (${marksOf(ids)})`;

/** rp, user ids: what the users are called who exist. */
export const namesOf = (ids: readonly unknown[]) => `SELECT ${n.select('id', 'username')}
  FROM ${n.from} WHERE ${n.positionalScopeOfIds} AND ${n.id} IN (${marksOf(ids)})`;

/** user id, user id of the old domain, rp id of that, rp, moved at. */
const NEW_LINK = `INTO ${move.from}
  (${move.list('userId', 'formerUserId', 'formerRelyingPartyId', 'relyingPartyId', 'tenantId', 'movedAt')})
  VALUES (?, ?, ?, ?, ?, ?)`;

/** The parameters of `NEW_LINK`: stores a link unless either user has one. */
export const ADD_LINK = eachKind((kind) =>
  kind === 'sqlite' ? `INSERT OR IGNORE ${NEW_LINK}` : `INSERT IGNORE ${NEW_LINK}`,
);

/**
 * user id, rp, user id of the old domain, user id, user id: the link of a user who has never come leads to
 * one who exists.
 */
export const RELINK = `UPDATE ${move.from} SET ${move.userId} = ?
  WHERE ${move.positionalScope} AND ${move.formerUserId} = ? AND ${move.userId} = ?
    AND NOT EXISTS (SELECT 1 FROM ${n.from} WHERE ${n.id} = ?)`;

/** rp, user id, user id of the old domain. */
const LINKED = `${move.positionalScope} AND ${move.userId} = ? AND ${move.formerUserId} = ?`;

/** The parameters of `LINKED`: changes nothing, but finds no row where the two are not linked. */
export const STILL_LINKED = `UPDATE ${move.from} SET ${move.movedAt} = ${move.movedAt}
  WHERE ${LINKED}`;

/** The parameters of `LINKED`, user id: the same for a user who does not exist at the new domain. */
export const STILL_NOT_HERE = `${STILL_LINKED}
  AND NOT EXISTS (SELECT 1 FROM ${n.from} WHERE ${n.id} = ?)`;

/** rp id, folded hash, name hash, 1 where case is ignored. */
const IS_SEPARATE = `${separate.relyingPartyId} = ? AND ${separate.foldedHash} = ?
  AND (${separate.nameHash} = ? OR 1 = ?)`;

/**
 * now, the parameters of `LINKED`, user id, name here, user id, user id of the old domain, name there, the
 * parameters of `IS_SEPARATE`: notes that the user has come to the new domain. It finds no row where the name
 * no longer leads to this user.
 */
export const COME = `UPDATE ${move.from}
  SET ${move.movedAt} = CASE WHEN ${move.movedAt} = 0 THEN ? ELSE ${move.movedAt} END
  WHERE ${LINKED} AND (
    EXISTS (SELECT 1 FROM ${n.from} WHERE ${n.id} = ? AND ${n.username} = ?)
    OR (NOT EXISTS (SELECT 1 FROM ${n.from} WHERE ${n.id} = ?)
      AND EXISTS (SELECT 1 FROM ${o.from} WHERE ${o.id} = ? AND ${o.username} = ?)
      AND NOT EXISTS (SELECT 1 FROM ${separate.from} WHERE ${IS_SEPARATE})))`;

/** rp, folded hashes. */
export const separateNames = (hashes: readonly unknown[]) =>
  `SELECT ${separate.select('foldedHash', 'nameHash')} FROM ${separate.from}
  WHERE ${separate.positionalScope} AND ${separate.foldedHash} IN (${marksOf(hashes)})`;

const NEW_SEPARATE_NAME = `INTO ${separate.from}
  (${separate.list('relyingPartyId', 'tenantId', 'foldedHash', 'nameHash')}) VALUES (?, ?, ?, ?)`;

/** rp, folded hash, name hash. */
export const ADD_SEPARATE_NAME = eachKind((kind) =>
  kind === 'sqlite'
    ? `INSERT OR IGNORE ${NEW_SEPARATE_NAME}`
    : `INSERT IGNORE ${NEW_SEPARATE_NAME}`,
);

/** rp, folded hash, name hash, 1 where case is ignored. */
export const DROP_SEPARATE_NAME = `DELETE FROM ${separate.from}
  WHERE ${separate.positionalScope} AND ${separate.foldedHash} = ?
    AND (${separate.nameHash} = ? OR 1 = ?)`;
