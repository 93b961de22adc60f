import { eachKind, tableOf } from '../../platform/database/entities/table.js';
import { Credential } from '../credentials/credential.entity.js';
import { User } from '../user.entity.js';
import { USER_ROW } from '../user.statements.js';

/*
 * What goes along an index of people, a slice at a time. Parameters stand in the order of their names in
 * the comments; `rp id` is the relying party's alone: the slice then stands in the index.
 */

const user = tableOf(User);
const credential = tableOf(Credential);
const u = tableOf(User, 'u');
const c = tableOf(Credential, 'c');

/** The users of a slice, in any order, with the number of their enabled keys and the last use. */
const factsOf = (slice: string) => `SELECT u.id AS userId, ${u.select('username', 'createdAt')},
    SUM(${c.enabled}) AS enabledKeys, MAX(${c.lastUsedAt}) AS lastUsedAt
  FROM (${slice}) k JOIN ${u.from} ON ${u.id} = k.id
    LEFT JOIN ${c.from} ON ${c.userId} = k.id
  GROUP BY ${u.list('id', 'username', 'createdAt')}`;

const ofNames = (name: string, direction: 'ASC' | 'DESC') =>
  factsOf(`SELECT ${user.id} FROM ${user.from} WHERE ${user.relyingPartyId} = ?
    AND ${name} >= ? AND ${name} < ? ORDER BY ${name} ${direction} LIMIT ?`);

/** rp id, from, to, limit. */
export const FACTS_BY_NAME = ofNames(user.username, 'ASC');
export const FACTS_BY_NAME_BACKWARDS = ofNames(user.username, 'DESC');

/** The same for relying parties where upper and lower case are the same. */
export const FACTS_BY_FOLDED_NAME = ofNames(user.foldedName, 'ASC');
export const FACTS_BY_FOLDED_NAME_BACKWARDS = ofNames(user.foldedName, 'DESC');

const created = (condition: string, direction: 'ASC' | 'DESC') =>
  factsOf(`SELECT ${user.id} FROM ${user.from} WHERE ${user.relyingPartyId} = ? AND ${condition}
    ORDER BY ${user.createdAt} ${direction}, ${user.id} ${direction} LIMIT ?`);

/** rp id, created at, limit: users who were created later; and, newest first, earlier. */
export const FACTS_CREATED_LATER = created(`${user.createdAt} > ?`, 'ASC');
export const FACTS_CREATED_BEFORE = created(`${user.createdAt} < ?`, 'DESC');

/**
 * rp id, created at, id, limit: users who were created in the same millisecond, as many are by an import. A
 * single condition on time and ID would read all of them again for each page.
 */
export const FACTS_CREATED_THEN = created(`${user.createdAt} = ? AND ${user.id} > ?`, 'ASC');
export const FACTS_CREATED_THEN_BACKWARDS = created(
  `${user.createdAt} = ? AND ${user.id} < ?`,
  'DESC',
);

const usersOf = (slice: {
  along: string;
  name: string;
  condition: string;
}) => `SELECT k.place, ${USER_ROW}
  FROM (SELECT ${slice.name} AS place, ${credential.userId} AS owner FROM ${slice.along}
    WHERE ${credential.relyingPartyId} = ? AND ${slice.condition} AND ${slice.name} > ?
    ORDER BY ${slice.name} LIMIT ?) k
  JOIN ${u.from} ON ${u.id} = k.owner JOIN ${c.from} ON ${c.userId} = k.owner`;

/** rp id, after, limit: along the index of disabled credentials. */
export const USERS_OF_DISABLED = usersOf({
  along: credential.from,
  name: credential.id,
  condition: `${credential.enabled} = 0`,
});

/** rp id, aaguid, after, limit: along the index of a model's credentials. */
export const USERS_OF_MODEL = eachKind((kind) =>
  usersOf({
    along: credential.along(kind, 'ix_credentials_of_model'),
    name: credential.credentialHash,
    condition: `${credential.aaguid} = ?`,
  }),
);

/** rp id, aaguid: the next AAGUID in ascending order; `NULL` after the last. */
export const NEXT_MODEL = `SELECT MIN(${credential.aaguid}) AS aaguid FROM ${credential.from}
  WHERE ${credential.relyingPartyId} = ? AND ${credential.aaguid} > ?`;
