import type { Step } from '../../platform/database/commit/unit.js';
import { tableOf, type DatabaseKind } from '../../platform/database/entities/table.js';
import { scope, type Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { Move } from '../moves/move.entity.js';
import { User } from '../user.entity.js';

const users = tableOf(User);

interface OneSide {
  readonly id: Buffer;
  /** One of `SIDES`. */
  readonly side: number;
}

const isSuspended = `(COALESCE(${users.suspendedBy}, 0) & :side) <> 0`;

/** Finds no row if this side suspends the user already. */
export const SUSPEND_USER = sql<Scope & OneSide & { suspensionJson: string | null }>(
  `UPDATE ${users.from} SET ${users.suspendedBy} = COALESCE(${users.suspendedBy}, 0) | :side,
    ${users.suspensionJson} = COALESCE(:suspensionJson, ${users.suspensionJson})
  WHERE ${users.scope} AND ${users.id} = :id AND NOT ${isSuspended}`,
);

/** Finds no row if this side does not suspend the user. Leaves the suspension of the other side. */
export const END_SUSPENSION = sql<Scope & OneSide & { helpDesk: number }>(
  `UPDATE ${users.from} SET ${users.suspendedBy} = NULLIF(${users.suspendedBy} - :side, 0),
    ${users.suspensionJson} = CASE WHEN :side = :helpDesk THEN NULL ELSE ${users.suspensionJson} END
  WHERE ${users.scope} AND ${users.id} = :id AND ${isSuspended}`,
);

const move = tableOf(Move, 'm');
const user = tableOf(User, 'u');
const other = tableOf(User, 'o');

interface LinkColumns {
  /** The column of a link that names the user. */
  readonly own: 'userId' | 'predecessorUserId';
  /** The column that names the other one. */
  readonly others: 'userId' | 'predecessorUserId';
}

const SIDES_OF_LINK: readonly LinkColumns[] = [
  { own: 'userId', others: 'predecessorUserId' },
  { own: 'predecessorUserId', others: 'userId' },
];

interface LinkedChange {
  /** What is set, given the columns to set. */
  readonly set: (column: typeof users | typeof user) => string;
  /** A condition for the users; all of them by default. */
  readonly where?: string;
}

/**
 * Changes users of linked ones of whom the other one is suspended, given the IDs of users of the predecessor. The scope is
 * the successor.
 */
const changingLinked = ({ own, others }: LinkColumns, { set, where = '1 = 1' }: LinkedChange) => {
  const linked = `${user.id} = ${move[own]}`;
  const suspended = `${move.scope} AND ${move.predecessorUserId} IN (:...predecessorUserIds)
    AND ${other.suspendedBy} IS NOT NULL AND ${where}`;
  const joined = `JOIN ${other.from} ON ${other.id} = ${move[others]}`;
  type Params = Scope & { predecessorUserIds: readonly Buffer[] };
  return {
    // SQLite names a column to set without its table.
    sqlite: sql<Params>(`UPDATE ${users.from} AS u SET ${set(users)}
      FROM ${move.from} ${joined} WHERE ${suspended} AND ${linked}`),
    mysql: sql<Params>(`UPDATE ${move.from} JOIN ${user.from} ON ${linked} ${joined}
      SET ${set(user)} WHERE ${suspended}`),
  };
};

/** Separate from the suspension: MariaDB may set columns of joined tables in any order. */
const LOCK_OUT: LinkedChange = {
  set: (column) => `${column.lockouts} = COALESCE(${user.lockouts}, 0) + 1`,
  where: `${user.suspendedBy} IS NULL`,
};

const SUSPEND: LinkedChange = {
  set: (column) => `${column.suspendedBy} = COALESCE(${user.suspendedBy}, 0) | ${other.suspendedBy},
      ${column.suspensionJson} = COALESCE(${user.suspensionJson}, ${other.suspensionJson})`,
};

const SHARE_SUSPENSION = SIDES_OF_LINK.flatMap((columns) =>
  [LOCK_OUT, SUSPEND].map((change) => changingLinked(columns, change)),
);

/**
 * The steps of a unit that links users of both domains of a move: who is suspended at one is suspended at both, and
 * locked out where that is new.
 */
export const sharedSuspension = (
  kind: DatabaseKind,
  successor: RelyingParty,
  predecessorUserIds: readonly Buffer[],
): Step[] =>
  SHARE_SUSPENSION.map((each) => each[kind].step({ ...scope(successor), predecessorUserIds }));
