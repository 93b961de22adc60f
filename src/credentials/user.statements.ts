import { tableOf } from '../database/entities/table.js';
import { marksOf } from '../database/padded.js';
import { Credential } from './credential.entity.js';
import { User } from './user.entity.js';

/*
 * What lists and searches ask. Parameters stand in the order of their names in the comments; `rp` is
 * `scopeParams`, `rp id` the relying party's alone: what is asked of many names then stands in the
 * index, and no row need be read.
 */

const user = tableOf(User);
const credential = tableOf(Credential);
const u = tableOf(User, 'u');
const c = tableOf(Credential, 'c');

/** A user and one credential, or none: `UserRow`. */
const USER_ROW = `${u.id} AS userId, ${u.select('username', 'displayName', 'createdAt')},
  ${c.select('id', 'credentialId', 'credentialHash', 'deviceName', 'aaguid', 'keypair', 'enabled')},
  ${c.select('signCount', 'transports', 'attestationFormat', 'backupEligible', 'backedUp')},
  ${c.select('registeredAt', 'lastUsedAt')}`;
const WITH_CREDENTIALS = `JOIN ${u.from} ON ${u.id} = k.id
  LEFT JOIN ${c.from} ON ${c.userId} = k.id`;

/** rp id, from, to. */
const NAMES_FROM_TO = `${user.from} WHERE ${user.relyingPartyId} = ?
  AND ${user.username} >= ? AND ${user.username} < ?`;

/**
 * rp id, from, to, needle, limit. What is asked by name stands in the index alone: where a range of
 * half the table needs the rows too, MariaDB reads the relying party's from its first name on.
 */
export const USERS_IN_RANGE = `SELECT ${USER_ROW}
  FROM (SELECT ${user.id} FROM ${NAMES_FROM_TO} AND INSTR(${user.username}, ?) > 0
    ORDER BY ${user.username} LIMIT ?) k ${WITH_CREDENTIALS}`;

/** rp id, from, to, n: the name behind n others. */
export const NTH_NAME = `SELECT ${user.username} FROM ${NAMES_FROM_TO}
  ORDER BY ${user.username} LIMIT 1 OFFSET ?`;

/** rp id, from, to, most: how many names there are up to so many, and the last of them. */
export const COUNT_NAMES = `SELECT COUNT(*) AS n, MAX(s.username) AS last
  FROM (SELECT ${user.select('username')} FROM ${NAMES_FROM_TO}
    ORDER BY ${user.username} LIMIT ?) s`;

/** rp id, from, last, needle. */
export const CANDIDATE_NAMES = `SELECT ${user.username} FROM ${user.from}
  WHERE ${user.relyingPartyId} = ? AND ${user.username} >= ? AND ${user.username} <= ?
    AND INSTR(${user.username}, ?) > 0`;

/** rp id, after, limit: along the index of disabled credentials. */
export const USERS_OF_DISABLED = `SELECT k.id AS disabledId, ${USER_ROW}
  FROM (SELECT ${credential.list('id', 'userId')} FROM ${credential.from}
    WHERE ${credential.relyingPartyId} = ? AND ${credential.enabled} = 0 AND ${credential.id} > ?
    ORDER BY ${credential.id} LIMIT ?) k
  JOIN ${u.from} ON ${u.id} = k.user_id JOIN ${c.from} ON ${c.userId} = k.user_id`;

/** Names of one statement: fewer are filled up with the last one, so that the text is fixed. */
export const NAMES_AT_ONCE = 200;

/** rp id, as many names. */
const NAMED = `(SELECT ${user.id} FROM ${user.from} WHERE ${user.relyingPartyId} = ?
  AND ${user.username} IN (${Array.from({ length: NAMES_AT_ONCE }, () => '?').join(',')})) k`;

export const USERS_BY_NAME = `SELECT ${USER_ROW} FROM ${NAMED} ${WITH_CREDENTIALS}`;

export const CREDENTIALS_BY_NAME = `SELECT ${u.username}, COUNT(${c.id}) AS n
  FROM ${NAMED} ${WITH_CREDENTIALS} GROUP BY ${u.id}, ${u.username}`;

/** rp, their ids. */
export const usersOfIds = (ids: readonly unknown[]) =>
  `SELECT ${USER_ROW} FROM ${u.from} LEFT JOIN ${c.from} ON ${c.userId} = ${u.id}
  WHERE ${u.scope} AND ${u.id} IN (${marksOf(ids)})`;

/** Of all tenants: for administrators and metrics. */
export const COUNT_USERS = `SELECT ${user.select('relyingPartyId')}, COUNT(*) AS n
  FROM ${user.from} GROUP BY ${user.relyingPartyId}`;

export const COUNT_CREDENTIALS = `SELECT ${credential.select('relyingPartyId', 'enabled')}, COUNT(*) AS n
  FROM ${credential.from} GROUP BY ${credential.list('relyingPartyId', 'enabled')}`;

export const COUNT_MODELS = `SELECT ${credential.select('relyingPartyId', 'aaguid')}, COUNT(*) AS n
  FROM ${credential.from} GROUP BY ${credential.list('relyingPartyId', 'aaguid')}`;
