import type { Scope } from '../platform/database/scope.js';
import { select, type RowOf } from '../platform/database/statement.js';
import { Credential } from '../users/credentials/credential.entity.js';
import { UserGroup } from '../users/groups/user-group.entity.js';
import { computed, tableOf } from '../platform/database/entities/table.js';

const c = tableOf(Credential, 'c');
const o = tableOf(Credential, 'o');
const g = tableOf(UserGroup, 'g');
const e = tableOf(UserGroup, 'e');

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

const ENABLED_KEY_OF_MEMBER = `SELECT 1 FROM ${c.from}
    WHERE ${c.userId} = ${g.userId} AND +${c.enabled} = 1`;

/**
 * The members of a group after a user, without those who are in other groups too: whether they have an enabled key, and
 * signed in with one since a time.
 */
export const MEMBERS_ONLY_OF_GROUP = select({
  ...g.pick('userId'),
  withKey: computed<number>(`EXISTS (${ENABLED_KEY_OF_MEMBER})`),
  active: computed<number>(`EXISTS (${ENABLED_KEY_OF_MEMBER} AND ${c.lastUsedAt} >= :since)`),
}).from<
  Scope & { name: Buffer; others: readonly Buffer[]; after: Buffer; since: number; limit: number }
>(
  `${g.from} WHERE ${g.scope} AND ${g.name} = :name AND ${g.userId} > :after
    AND NOT EXISTS (SELECT 1 FROM ${e.from}
      WHERE ${e.userId} = ${g.userId} AND ${e.name} IN (:...others))
  ORDER BY ${g.userId} LIMIT :limit`,
  { patienceMs: 30_000 },
);
export type MemberRow = RowOf<typeof MEMBERS_ONLY_OF_GROUP>;
