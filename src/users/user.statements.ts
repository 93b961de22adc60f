import { tableOf } from '../platform/database/entities/table.js';
import { marksOf } from '../platform/database/padded.js';
import { Credential } from './credentials/credential.entity.js';
import { uvInitializedOf } from './credentials/credential.statements.js';
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
const o = tableOf(Credential, 'o');

/** A user and one credential, or none: `UserRow`. */
export const USER_ROW = `${u.id} AS userId, ${u.select('username', 'displayName', 'createdAt')},
  ${c.select('id', 'credentialId', 'credentialHash', 'deviceName', 'aaguid', 'keypair', 'enabled')},
  ${c.select('signCount', 'transports', 'attestationFormat', 'backupEligible', 'backedUp')},
  ${c.select('registeredAt', 'lastUsedAt', 'serialNumber')},
  ${c.select('disabledBy', 'disabledByRule', 'acceptedBy', 'refusedWith')}`;
const WITH_CREDENTIALS = `JOIN ${u.from} ON ${u.id} = k.id
  LEFT JOIN ${c.from} ON ${c.userId} = k.id`;

/** rp id, from, to. */
const namesFromTo = (name: string) => `${user.from} WHERE ${user.relyingPartyId} = ?
  AND ${name} >= ? AND ${name} < ?`;

const usersInRange = (name: string) => `SELECT ${USER_ROW}
  FROM (SELECT ${user.id} FROM ${namesFromTo(name)} AND INSTR(${name}, ?) > 0
    ORDER BY ${name} LIMIT ?) k ${WITH_CREDENTIALS}`;

const nthName = (name: string) => `SELECT ${name} AS name FROM ${namesFromTo(name)}
  ORDER BY ${name} LIMIT 1 OFFSET ?`;

const countNames = (name: string) => `SELECT COUNT(*) AS n, MAX(s.name) AS last
  FROM (SELECT ${name} AS name FROM ${namesFromTo(name)} ORDER BY ${name} LIMIT ?) s`;

const candidateNames = (name: string) => `SELECT ${name} AS name FROM ${user.from}
  WHERE ${user.relyingPartyId} = ? AND ${name} >= ? AND ${name} <= ? AND INSTR(${name}, ?) > 0`;

/**
 * rp id, from, to, needle, limit. What is asked by name stands in the index alone: where a range of
 * half the table needs the rows too, MariaDB reads the relying party's from its first name on.
 */
export const USERS_IN_RANGE = usersInRange(user.username);

/** rp id, from, to, n: the name behind n others. */
export const NTH_NAME = nthName(user.username);

/** rp id, from, to, most: how many names there are up to so many, and the last of them. */
export const COUNT_NAMES = countNames(user.username);

/** rp id, from, last, needle. */
export const CANDIDATE_NAMES = candidateNames(user.username);

/* The same where case does not count, along the index of folded names. */
export const USERS_IN_FOLDED_RANGE = usersInRange(user.foldedName);
export const NTH_FOLDED_NAME = nthName(user.foldedName);
export const COUNT_FOLDED_NAMES = countNames(user.foldedName);
export const CANDIDATE_FOLDED_NAMES = candidateNames(user.foldedName);

/** Names of one statement: fewer are filled up with the last one, so that the text is fixed. */
export const NAMES_AT_ONCE = 200;

/** rp id, as many names. */
const named = (name: string) => `(SELECT ${user.id} FROM ${user.from}
  WHERE ${user.relyingPartyId} = ?
    AND ${name} IN (${Array.from({ length: NAMES_AT_ONCE }, () => '?').join(',')})) k`;
const NAMED = named(user.username);

export const USERS_BY_NAME = `SELECT ${USER_ROW} FROM ${NAMED} ${WITH_CREDENTIALS}`;

export const USERS_BY_FOLDED_NAME = `SELECT ${USER_ROW}
  FROM ${named(user.foldedName)} ${WITH_CREDENTIALS}`;

export const CREDENTIALS_BY_NAME = `SELECT ${u.username}, COUNT(${c.id}) AS n
  FROM ${NAMED} ${WITH_CREDENTIALS} GROUP BY ${u.id}, ${u.username}`;

/** rp, their ids. */
export const usersOfIds = (ids: readonly unknown[]) =>
  `SELECT ${USER_ROW} FROM ${u.from} LEFT JOIN ${c.from} ON ${c.userId} = ${u.id}
  WHERE ${u.positionalScopeOfIds} AND ${u.id} IN (${marksOf(ids)})`;

/** Of all tenants: for administrators and metrics. */
export const COUNT_USERS = `SELECT ${user.select('relyingPartyId')}, COUNT(*) AS n
  FROM ${user.from} GROUP BY ${user.relyingPartyId}`;

export const COUNT_CREDENTIALS = `SELECT ${credential.select('relyingPartyId', 'enabled')}, COUNT(*) AS n
  FROM ${credential.from} GROUP BY ${credential.list('relyingPartyId', 'enabled')}`;

export const COUNT_MODELS = `SELECT ${credential.select('relyingPartyId', 'aaguid')}, COUNT(*) AS n
  FROM ${credential.from} GROUP BY ${credential.list('relyingPartyId', 'aaguid')}`;

/**
 * rp, hash, limit: the keys behind a hash. Each user of whose keys no user verification counts is marked at
 * one of them.
 */
export const UNVERIFIED_BY_HASH = `SELECT ${c.select('credentialHash')},
    CASE WHEN ${uvInitializedOf(c)} = 1 THEN 0
      WHEN EXISTS (SELECT 1 FROM ${o.from} WHERE ${o.userId} = ${c.userId}
        AND (${uvInitializedOf(o)} = 1 OR ${o.credentialHash} < ${c.credentialHash})) THEN 0
      ELSE 1 END AS marks
  FROM ${c.from} WHERE ${c.positionalScope} AND ${c.credentialHash} > ?
  ORDER BY ${c.credentialHash} LIMIT ?`;
