import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { Credential } from '../credentials/credential.entity.js';
import { User } from '../user.entity.js';
import { Move, SeparateName } from './move.entity.js';

const credential = tableOf(Credential, 'c');
const users = tableOf(User);
const newUser = tableOf(User, 'n');
const formerUser = tableOf(User, 'o');
const same = tableOf(User, 's');
const namesake = tableOf(User, 'w');
const folded = tableOf(User, 'f');
const moves = tableOf(Move);
const move = tableOf(Move, 'm');
const link = tableOf(Move, 'l');
const separateNames = tableOf(SeparateName);

export interface MovedRow {
  readonly users: number;
  readonly moved: number;
  /** `null` without users. */
  readonly last: Buffer | null;
}

const HAS_KEY = (userId: string) =>
  `EXISTS (SELECT 1 FROM ${credential.from} WHERE ${credential.userId} = ${userId})`;

/**
 * Of the next users of the old domain after a name: their number, how many of them have a key at the new domain, and
 * the last name. The scope is the old domain.
 */
export const COUNT_MOVED = sql<
  Scope & { newRelyingPartyId: Buffer; after: Buffer; limit: number },
  MovedRow
>(`SELECT COUNT(*) AS users, MAX(o.username) AS last,
    COUNT(CASE WHEN EXISTS (SELECT 1 FROM ${link.from}
        WHERE ${link.relyingPartyId} = :newRelyingPartyId AND ${link.formerUserId} = o.id
          AND ${HAS_KEY(link.userId)})
      OR EXISTS (SELECT 1 FROM ${same.from}
        WHERE ${same.relyingPartyId} = :newRelyingPartyId AND ${same.externalId} = o.externalId
          AND ${HAS_KEY(same.id)})
      THEN 1 END) AS moved
  FROM (SELECT ${users.id} AS id, ${users.username} AS username, ${users.externalId} AS externalId
    FROM ${users.from} WHERE ${users.scope} AND ${users.username} > :after
    ORDER BY ${users.username} LIMIT :limit) o`);

/** The next users of the old domain after a name. The scope is the old domain. */
export const FORMER_USERS_AFTER = sql<
  Scope & { after: Buffer; limit: number },
  { id: Buffer; username: Buffer }
>(`SELECT ${users.id} AS id, ${users.username} AS username FROM ${users.from}
  WHERE ${users.scope} AND ${users.username} > :after ORDER BY ${users.username} LIMIT :limit`);

/* In the statements below, the scope is the new domain. */

/** A link between the two domains, by IDs. */
export type Link = Pick<Move, 'userId' | 'formerUserId'>;
type UserIds = Scope & { readonly ids: readonly Buffer[] };

/** Takes the IDs of users of the new domain. */
export const LINKS_OF = sql<UserIds, Link>(
  `SELECT ${moves.select('userId', 'formerUserId')} FROM ${moves.from}
  WHERE ${moves.scopeWithoutIndex} AND ${moves.userId} IN (:...ids)`,
);

/** A user of the old domain, with the users of the new one who may be the same person. */
export interface FormerUserRow {
  readonly id: Buffer;
  readonly username: Buffer;
  /** The stored link. */
  readonly linkedId: Buffer | null;
  /** The user with the same user ID (`externalId`), and that user's stored link. */
  readonly sameId: Buffer | null;
  readonly sameFormerId: Buffer | null;
  /** The user of the same name, as the new domain compares names, and that user's stored link. */
  readonly namesakeId: Buffer | null;
  readonly namesakeFormerId: Buffer | null;
}

const linkOf = (user: typeof same) =>
  `(SELECT ${link.formerUserId} FROM ${link.from} WHERE ${link.userId} = ${user.id})`;

/** Takes the IDs of users of the old domain. */
export const FORMER_USERS = sql<UserIds & { ignoresCase: boolean }, FormerUserRow>(
  `SELECT ${formerUser.id} AS id, ${formerUser.username} AS username, ${move.userId} AS linkedId,
    ${same.id} AS sameId, ${linkOf(same)} AS sameFormerId,
    ${namesake.id} AS namesakeId, ${linkOf(namesake)} AS namesakeFormerId
  FROM ${formerUser.from}
  LEFT JOIN ${move.from} ON ${move.scope} AND ${move.formerUserId} = ${formerUser.id}
  LEFT JOIN ${same.from} ON ${same.relyingPartyId} = :relyingPartyId
    AND ${same.externalId} = ${formerUser.externalId}
  LEFT JOIN ${folded.from} ON 1 = :ignoresCase AND ${folded.relyingPartyId} = :relyingPartyId
    AND ${folded.foldedName} = ${formerUser.foldedName}
  LEFT JOIN ${namesake.from} ON ${namesake.relyingPartyId} = :relyingPartyId
    AND ${namesake.username} = COALESCE(${folded.username}, ${formerUser.username})
  WHERE ${formerUser.id} IN (:...ids) AND ${formerUser.tenantId} = :tenantId`,
);

/**
 * Takes the IDs of users of the new domain, and returns those of users of the old one who may be the same: linked, or
 * with the same user ID.
 */
export const POSSIBLE_FORMER_IDS = sql<
  UserIds & { formerRelyingPartyId: Buffer },
  { id: Buffer }
>(`SELECT ${moves.formerUserId} AS id FROM ${moves.from}
  WHERE ${moves.scopeWithoutIndex} AND ${moves.userId} IN (:...ids)
  UNION SELECT ${formerUser.id} AS id FROM ${newUser.from} JOIN ${formerUser.from}
    ON ${formerUser.relyingPartyId} = :formerRelyingPartyId
      AND ${formerUser.externalId} = ${newUser.externalId}
  WHERE ${newUser.id} IN (:...ids)`);

/** Start of an INSERT that stores nothing if a row with one of its unique keys exists. */
const INSERT_ONCE = { sqlite: 'INSERT OR IGNORE', mysql: 'INSERT IGNORE' };

/** Stores a link unless either user has one. */
export const ADD_LINK = forEachKind((kind) =>
  sql<Move>(`${INSERT_ONCE[kind]} INTO ${moves.row(...moves.names)}`),
);

/** Changes a link of a user who has not arrived (`first`) to one that leads to an existing user. */
export const RELINK = sql<Scope & Link & { first: Buffer }>(`UPDATE ${moves.from}
  SET ${moves.userId} = :userId
  WHERE ${moves.scope} AND ${moves.formerUserId} = :formerUserId AND ${moves.userId} = :first
    AND NOT EXISTS (SELECT 1 FROM ${newUser.from} WHERE ${newUser.id} = :first)`);

const LINKED = `${moves.scope} AND ${moves.userId} = :userId
    AND ${moves.formerUserId} = :formerUserId`;
const IS_HERE = `EXISTS (SELECT 1 FROM ${newUser.from} WHERE ${newUser.id} = :userId)`;
const LOCKED = `UPDATE ${moves.from} SET ${moves.movedAt} = ${moves.movedAt} WHERE ${LINKED}`;

/** Locks the link, without changing it; finds no row if the two are not linked. */
export const LOCK_LINK = sql<Scope & Link>(LOCKED);

/** The same for a user who does not exist at the new domain. */
export const LOCK_LINK_OF_ABSENT_USER = sql<Scope & Link>(`${LOCKED} AND NOT ${IS_HERE}`);

/** A separate name, and whether case is ignored. */
type SeparateNameParams = SeparateNameRow & { readonly ignoresCase: boolean };
const IS_SEPARATE = `${separateNames.foldedHash} = :foldedHash
    AND (${separateNames.nameHash} = :nameHash OR 1 = :ignoresCase)`;

interface Arrival extends Link, SeparateNameParams {
  readonly now: number;
  readonly nameHere: Buffer;
  readonly nameThere: Buffer;
  /** Empty if the new domain compares case. */
  readonly foldedNameThere: Buffer;
}

const hasNamesake = (column: string, name: string) => `EXISTS (SELECT 1 FROM ${namesake.from}
        WHERE ${namesake.relyingPartyId} = :relyingPartyId AND ${column} = ${name})`;

/**
 * Notes that the user has arrived at the new domain. Finds no row if the name no longer leads to this user, or now
 * belongs to another one there.
 */
export const MARK_ARRIVED = sql<Scope & Arrival>(`UPDATE ${moves.from}
  SET ${moves.movedAt} = CASE WHEN ${moves.movedAt} = 0 THEN :now ELSE ${moves.movedAt} END
  WHERE ${LINKED} AND (
    EXISTS (SELECT 1 FROM ${newUser.from} WHERE ${newUser.id} = :userId AND ${newUser.username} = :nameHere)
    OR (NOT ${IS_HERE}
      AND EXISTS (SELECT 1 FROM ${formerUser.from}
        WHERE ${formerUser.id} = :formerUserId AND ${formerUser.username} = :nameThere)
      AND NOT ${hasNamesake(namesake.username, ':nameThere')}
      AND NOT ${hasNamesake(namesake.foldedName, ':foldedNameThere')}
      AND NOT EXISTS (SELECT 1 FROM ${separateNames.from}
        WHERE ${separateNames.relyingPartyId} = :relyingPartyId AND ${IS_SEPARATE})))`);

export type SeparateNameRow = Pick<SeparateName, 'foldedHash' | 'nameHash'>;

export const SEPARATE_NAMES = sql<Scope & { foldedHashes: readonly Buffer[] }, SeparateNameRow>(
  `SELECT ${separateNames.select('foldedHash', 'nameHash')} FROM ${separateNames.from}
  WHERE ${separateNames.scope} AND ${separateNames.foldedHash} IN (:...foldedHashes)`,
);

export const ADD_SEPARATE_NAME = forEachKind((kind) =>
  sql<Scope & SeparateNameRow>(
    `${INSERT_ONCE[kind]} INTO ${separateNames.row('relyingPartyId', 'tenantId', 'foldedHash', 'nameHash')}`,
  ),
);

export const DROP_SEPARATE_NAME = sql<Scope & SeparateNameParams>(
  `DELETE FROM ${separateNames.from} WHERE ${separateNames.scope} AND ${IS_SEPARATE}`,
);
