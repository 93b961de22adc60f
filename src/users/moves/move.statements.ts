import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { Credential } from '../credentials/credential.entity.js';
import { User } from '../user.entity.js';
import { Move, SeparateName } from './move.entity.js';

const c = tableOf(Credential, 'c');
const n = tableOf(User, 'n');
const o = tableOf(User, 'o');
const move = tableOf(Move);
const separate = tableOf(SeparateName);

/** The progress of a move. */
export interface MoveProgress {
  /** Number of users of the old domain. */
  readonly users: number;
  /** Number of them with a key at the new domain. */
  readonly moved: number;
}

/** The scope is the old domain. */
export const COUNT_MOVED = sql<Scope & { newRelyingPartyId: Buffer }, MoveProgress>(
  `SELECT COUNT(*) AS users, COUNT(k.id) AS moved
  FROM ${o.from}
  LEFT JOIN (SELECT ${n.id}, ${n.username} FROM ${n.from}
    WHERE ${n.relyingPartyId} = :newRelyingPartyId AND EXISTS
      (SELECT 1 FROM ${c.from} WHERE ${c.userId} = ${n.id})) k ON k.username = ${o.username}
  WHERE ${o.scope}`,
);

/* In the statements below, the scope is the new domain. */

/** A link between the two domains, by IDs. */
export type Link = Pick<Move, 'userId' | 'formerUserId'>;
type UserIds = Scope & { readonly ids: readonly Buffer[] };

/** Takes the IDs of users of the new domain. */
export const LINKS_OF = sql<UserIds, Link>(
  `SELECT ${move.select('userId', 'formerUserId')} FROM ${move.from}
  WHERE ${move.scopeWithoutIndex} AND ${move.userId} IN (:...ids)`,
);

/** Takes the IDs of users of the old domain. */
export const LINKS_OF_FORMER = sql<UserIds, Link>(
  `SELECT ${move.select('userId', 'formerUserId')} FROM ${move.from}
  WHERE ${move.scope} AND ${move.formerUserId} IN (:...ids)`,
);

/** Start of an INSERT that stores nothing if a row with one of its unique keys exists. */
const INSERT_ONCE = { sqlite: 'INSERT OR IGNORE', mysql: 'INSERT IGNORE' };

/** Stores a link unless either user has one. */
export const ADD_LINK = forEachKind((kind) =>
  sql<Move>(`${INSERT_ONCE[kind]} INTO ${move.row(...move.names)}`),
);

/** Changes a link of a user who has not arrived (`first`) to one that leads to an existing user. */
export const RELINK = sql<Scope & Link & { first: Buffer }>(`UPDATE ${move.from}
  SET ${move.userId} = :userId
  WHERE ${move.scope} AND ${move.formerUserId} = :formerUserId AND ${move.userId} = :first
    AND NOT EXISTS (SELECT 1 FROM ${n.from} WHERE ${n.id} = :first)`);

const LINKED = `${move.scope} AND ${move.userId} = :userId
    AND ${move.formerUserId} = :formerUserId`;
const IS_HERE = `EXISTS (SELECT 1 FROM ${n.from} WHERE ${n.id} = :userId)`;
const LOCKED = `UPDATE ${move.from} SET ${move.movedAt} = ${move.movedAt} WHERE ${LINKED}`;

/** Locks the link, without changing it; finds no row if the two are not linked. */
export const LOCK_LINK = sql<Scope & Link>(LOCKED);

/** The same for a user who does not exist at the new domain. */
export const LOCK_LINK_OF_ABSENT_USER = sql<Scope & Link>(`${LOCKED} AND NOT ${IS_HERE}`);

/** A separate name, and whether case is ignored. */
export interface SeparateNameParams {
  readonly foldedHash: Buffer;
  readonly nameHash: Buffer;
  readonly ignoresCase: boolean;
}
const IS_SEPARATE = `${separate.foldedHash} = :foldedHash
    AND (${separate.nameHash} = :nameHash OR 1 = :ignoresCase)`;

interface Arrival extends Link, SeparateNameParams {
  readonly now: number;
  readonly nameHere: Buffer;
  readonly nameThere: Buffer;
}

/** Notes that the user has arrived at the new domain. Finds no row if the name no longer leads to this user. */
export const MARK_ARRIVED = sql<Scope & Arrival>(`UPDATE ${move.from}
  SET ${move.movedAt} = CASE WHEN ${move.movedAt} = 0 THEN :now ELSE ${move.movedAt} END
  WHERE ${LINKED} AND (
    EXISTS (SELECT 1 FROM ${n.from} WHERE ${n.id} = :userId AND ${n.username} = :nameHere)
    OR (NOT ${IS_HERE}
      AND EXISTS (SELECT 1 FROM ${o.from}
        WHERE ${o.id} = :formerUserId AND ${o.username} = :nameThere)
      AND NOT EXISTS (SELECT 1 FROM ${separate.from}
        WHERE ${separate.relyingPartyId} = :relyingPartyId AND ${IS_SEPARATE})))`);

export type SeparateNameRow = Pick<SeparateName, 'foldedHash' | 'nameHash'>;

export const SEPARATE_NAMES = sql<Scope & { foldedHashes: readonly Buffer[] }, SeparateNameRow>(
  `SELECT ${separate.select('foldedHash', 'nameHash')} FROM ${separate.from}
  WHERE ${separate.scope} AND ${separate.foldedHash} IN (:...foldedHashes)`,
);

export const ADD_SEPARATE_NAME = forEachKind((kind) =>
  sql<Scope & SeparateNameRow>(
    `${INSERT_ONCE[kind]} INTO ${separate.row('relyingPartyId', 'tenantId', 'foldedHash', 'nameHash')}`,
  ),
);

export const DROP_SEPARATE_NAME = sql<Scope & SeparateNameParams>(
  `DELETE FROM ${separate.from} WHERE ${separate.scope} AND ${IS_SEPARATE}`,
);
