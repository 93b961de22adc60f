import { tableOf, type DatabaseKind } from '../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../tenancy/relying-party.entity.js';
import { Credential } from './credentials/credential.entity.js';
import { Move } from './moves/move.entity.js';
import { User } from './user.entity.js';

const key = tableOf(Credential, 'sk');
const move = tableOf(Move, 'sm');
const predecessorUser = tableOf(User, 'su');
const rp = tableOf(RelyingPartyEntity, 'sr');
const predecessorRp = tableOf(RelyingPartyEntity, 'sf');

/**
 * Condition in SQL: whether a key signs its user in, unless the user is suspended. `RECORD_USE` has its own text, for
 * the sake of an index.
 *
 * @param key the key's row
 */
export const usableKey = (key: {
  readonly enabled: string;
  readonly refusedWith: string;
}): string => `${key.enabled} = 1 AND ${key.refusedWith} IS NULL`;

/** The same for a key that was read. */
export const isUsable = ({
  enabled,
  refusedWith,
}: Pick<Credential, 'enabled' | 'refusedWith'>): boolean => enabled && refusedWith === null;

/** Condition in SQL: whether a user without a key may use one of the predecessor, as `Moves.toSignIn` decides. */
const mayUsePredecessorKey = (userId: string): string =>
  `NOT EXISTS (SELECT 1 FROM ${key.from} WHERE ${key.userId} = ${userId})
    AND EXISTS (SELECT 1 FROM ${move.from}
      JOIN ${rp.from} ON ${rp.id} = ${move.relyingPartyId}
      JOIN ${predecessorRp.from} ON ${predecessorRp.id} = ${move.predecessorId}
        AND ${predecessorRp.domain} = ${rp.predecessor} AND ${predecessorRp.closedAt} = 0
      JOIN ${predecessorUser.from} ON ${predecessorUser.id} = ${move.predecessorUserId}
        AND ${predecessorUser.suspendedBy} IS NULL
      JOIN ${key.from} ON ${key.userId} = ${predecessorUser.id} AND ${usableKey(key)}
      WHERE ${move.userId} = ${userId})`;

/**
 * Condition in SQL: whether a user can sign in. The user is not suspended, and has a key that is enabled and that no
 * finding refuses, or has no key at all and may use one of the predecessor.
 *
 * @param user the user's row
 */
export const canSignIn = (user: { readonly id: string; readonly suspendedBy: string }): string =>
  `(${user.suspendedBy} IS NULL AND (
    EXISTS (SELECT 1 FROM ${key.from} WHERE ${key.userId} = ${user.id} AND ${usableKey(key)})
    OR (${mayUsePredecessorKey(user.id)})))`;

const un = tableOf(User, 'un');
const uk = tableOf(Credential, 'uk');
export const SUSPENSION_INDEX = 'ix_users_suspended';
const OF_SLICE = `${un.relyingPartyId} = :relyingPartyId AND ${un.suspendedBy} IS NULL
    AND ${un.id} > :after AND ${un.id} <= :upTo`;

/** Users between two IDs, the first excluded. */
export interface UserSlice {
  readonly relyingPartyId: Buffer;
  readonly after: Buffer;
  readonly upTo: Buffer;
}

/** For `unableUsers`: 1 if the relying party takes users over from a predecessor, whose keys may sign in here. */
export interface SuccessorFlag {
  readonly isSuccessor: 0 | 1;
}

/** The users of a slice who are not suspended, by an index alone. */
export const unsuspendedUsers = (kind: DatabaseKind): string =>
  `${un.forceIndex(kind, SUSPENSION_INDEX)} WHERE ${OF_SLICE}`;

/**
 * Those of them who cannot sign in, `un` in SQL. The join finds users without a usable key four times as fast as
 * `canSignIn`: MariaDB executes the subquery of that once for each user. CASE prevents MariaDB from reading all keys for
 * the rest of the condition.
 */
export const unableUsers = (kind: DatabaseKind): string =>
  `${un.forceIndex(kind, SUSPENSION_INDEX)}
    LEFT JOIN ${uk.from} ON ${uk.userId} = ${un.id} AND ${usableKey(uk)}
  WHERE ${OF_SLICE} AND ${uk.id} IS NULL
    AND CASE WHEN :isSuccessor = 1 AND ${mayUsePredecessorKey(un.id)} THEN 0 ELSE 1 END = 1`;
