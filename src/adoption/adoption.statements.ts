import type { Scope } from '../platform/database/scope.js';
import { select, type RowOf } from '../platform/database/statement.js';
import { Credential } from '../users/credentials/credential.entity.js';
import { Move } from '../users/moves/move.entity.js';
import { User } from '../users/user.entity.js';
import { UserGroup } from '../users/groups/user-group.entity.js';
import { computed, tableOf } from '../platform/database/entities/table.js';

const c = tableOf(Credential, 'c');
const o = tableOf(Credential, 'o');
const g = tableOf(UserGroup, 'g');
const e = tableOf(UserGroup, 'e');
const link = tableOf(Move, 'm');
const arrived = tableOf(User, 'u');
const predecessorUser = tableOf(User, 'p');

/**
 * The keys after a hash, and whether their users had a key before. For keys that were registered or imported
 * in the same millisecond, the IDs decide the order.
 */
export const KEYS_BY_HASH = select({
  ...c.pick('credentialHash', 'aaguid', 'backupEligible', 'registeredAt'),
  further: computed<number>(`EXISTS (SELECT 1 FROM ${o.from} WHERE ${o.userId} = ${c.userId}
      AND (${o.registeredAt}, ${o.id}) < (${c.registeredAt}, ${c.id}))`),
}).from<Scope & { after: Buffer; limit: number }>(
  `${c.from} WHERE ${c.scope} AND ${c.credentialHash} > :after
  ORDER BY ${c.credentialHash} LIMIT :limit`,
  { patienceMs: 30_000 },
);

/** `backupEligible` is `null` for an imported key whose former server did not record it. */
export type AdoptionKeyRow = RowOf<typeof KEYS_BY_HASH>;

/**
 * By relying party: users who have an enabled key, and how many of them signed in with one since a time. Users after
 * one ID, up to another one: a user's keys are always counted together. The `+` keeps SQLite from reading all enabled
 * keys for each slice, which the index by relying party would already group.
 */
export const COUNT_USERS_WITH_KEY = select({
  ...c.pick('relyingPartyId'),
  withKey: computed<number>(`COUNT(DISTINCT ${c.userId})`),
  active: computed<number>(
    `COUNT(DISTINCT CASE WHEN ${c.lastUsedAt} >= :since THEN ${c.userId} END)`,
  ),
}).from<{ since: number; after: Buffer; upTo: Buffer }>(
  `${c.from} WHERE ${c.userId} > :after AND ${c.userId} <= :upTo AND +${c.enabled} = 1
  GROUP BY ${c.relyingPartyId}`,
  { patienceMs: 30_000 },
);

/** The user whose key follows `skip` others, in the order of the users' IDs. */
export const USER_OF_KEY = select(c.pick('userId')).from<{ after: Buffer; skip: number }>(`
  ${c.from} WHERE ${c.userId} > :after
  ORDER BY ${c.userId} LIMIT 1 OFFSET :skip`);

/** Of each member: whether the user has an enabled key, and signed in with one since a time. */
const memberList = (userId: string) => {
  const key = `SELECT 1 FROM ${c.from} WHERE ${c.userId} = ${userId} AND +${c.enabled} = 1`;
  return select({
    ...g.pick('userId'),
    withKey: computed<number>(`EXISTS (${key})`),
    active: computed<number>(`EXISTS (${key} AND ${c.lastUsedAt} >= :since)`),
  });
};
const ONLY_OF_GROUP = `${g.scope} AND ${g.name} = :name AND ${g.userId} > :after
    AND NOT EXISTS (SELECT 1 FROM ${e.from}
      WHERE ${e.userId} = ${g.userId} AND ${e.name} IN (:...others))`;
interface MemberQuery extends Scope {
  readonly name: Buffer;
  readonly others: readonly Buffer[];
  readonly after: Buffer;
  readonly since: number;
  readonly limit: number;
}

/**
 * The members of a group after a user, without those who are in other groups too, or who have arrived at the successor:
 * their groups there count.
 */
export const MEMBERS_ONLY_OF_GROUP = memberList(g.userId).from<
  MemberQuery & { successorId: Buffer }
>(
  `${g.from} WHERE ${ONLY_OF_GROUP}
    AND NOT EXISTS (SELECT 1 FROM ${link.from} JOIN ${arrived.from} ON ${arrived.id} = ${link.userId}
      WHERE ${link.relyingPartyId} = :successorId AND ${link.predecessorUserId} = ${g.userId})
  ORDER BY ${g.userId} LIMIT :limit`,
  { patienceMs: 30_000 },
);
export type MemberRow = RowOf<typeof MEMBERS_ONLY_OF_GROUP>;

/** Users of the predecessor who are such members at the successor. The scope is the successor. */
export const ARRIVED_MEMBERS_ONLY_OF_GROUP = memberList(link.predecessorUserId).from<
  MemberQuery & { predecessorId: Buffer }
>(
  `${g.from} JOIN ${link.from} ON ${link.userId} = ${g.userId}
    JOIN ${predecessorUser.from} ON ${predecessorUser.id} = ${link.predecessorUserId}
      AND +${predecessorUser.relyingPartyId} = :predecessorId
  WHERE ${ONLY_OF_GROUP} ORDER BY ${g.userId} LIMIT :limit`,
  { patienceMs: 30_000 },
);
