import type { Scope } from '../platform/database/scope.js';
import { select, sql, type RowOf } from '../platform/database/statement.js';
import { computed, orNullAll, tableOf } from '../platform/database/entities/table.js';
import { RelyingPartyEntity } from './relying-party.entity.js';
import { Tenant } from './tenant.entity.js';

const relyingParties = tableOf(RelyingPartyEntity);
const relyingParty = tableOf(RelyingPartyEntity, 'r');
const tenants = tableOf(Tenant);
const tenant = tableOf(Tenant, 't');

/** Locks the row of a tenant that has not been removed, without changing it. */
export const LOCK_OPEN_TENANT = sql<{ tenantId: Buffer }>(`UPDATE ${tenants.from}
  SET ${tenants.changedAt} = ${tenants.changedAt}
  WHERE ${tenants.id} = :tenantId AND ${tenants.closedAt} = 0`);

/** Lists and objects are JSON. */
export const OPEN_RELYING_PARTIES = select({
  tenant: tenant.name,
  ...relyingParty.pick('id', 'tenantId', 'domain', 'name', 'enrolmentUrl', 'colour', 'predecessor'),
  ...relyingParty.pick('changedAt', 'origins', 'policy', 'wellKnown', 'confirmedApps', 'keyShapes'),
}).from(`${relyingParty.from} JOIN ${tenant.from} ON ${tenant.id} = ${relyingParty.tenantId}
  WHERE ${relyingParty.closedAt} = 0 AND ${tenant.closedAt} = 0`);

export type RelyingPartyRow = RowOf<typeof OPEN_RELYING_PARTIES>;

/*
 * The following statements read tables of modules above, whose entities this module does not know: the data
 * of closed relying parties and tenants, the shapes of keys, and the names of users.
 */

const id = computed<Buffer>('id');
const username = computed<Buffer>('username');
type Next = Scope & { readonly after: Buffer; readonly limit: number };
const OF_RELYING_PARTY = 'relying_party_id = :relyingPartyId AND tenant_id = :tenantId';

/** The next names after a given one, in byte order. */
export const NAMES_AFTER = select({ username }).from<Next>(`
  users
  WHERE ${OF_RELYING_PARTY} AND username > :after ORDER BY username LIMIT :limit`);

export const NOT_FOLDED = select({ id, username }).from<Scope & { limit: number }>(`
  users
  WHERE ${OF_RELYING_PARTY} AND folded_name IS NULL LIMIT :limit`);
export type NameRow = RowOf<typeof NOT_FOLDED>;

/** The users with the next names after a given one, in byte order. */
export const USERS_AFTER = select({
  id,
  username,
  folded: computed<Buffer | null>('folded_name'),
}).from<Next>(`
  users
  WHERE ${OF_RELYING_PARTY} AND username > :after ORDER BY username LIMIT :limit`);

export const FOLD_NAME = sql<Scope & NameRow & { foldedName: Buffer }>(
  `UPDATE users SET folded_name = :foldedName
  WHERE +${OF_RELYING_PARTY} AND id = :id AND username = :username`,
);

/** Marks the relying party as one that folds names, if all of its names are folded. */
export const ALL_ARE_FOLDED = sql<{
  id: Buffer;
}>(`UPDATE ${relyingParties.from} SET ${relyingParties.foldsNames} = 1
  WHERE ${relyingParties.id} = :id
    AND NOT EXISTS (SELECT 1 FROM users WHERE relying_party_id = :id AND folded_name IS NULL)`);

export const NAMES_OF_FOLDED = select({ username }).from<Scope & { names: readonly Buffer[] }>(
  `users WHERE ${OF_RELYING_PARTY} AND folded_name IN (:...names)`,
);

const DRAWN_KEY = {
  id: computed<Buffer>('c.id'),
  idBytes: computed<number>('LENGTH(c.credential_id)'),
  transports: computed<string>('c.transports'),
};

/**
 * The keys with the next hashes after a given one, as a random sample; for each, all enabled keys of its
 * user, or one row of `null` if there are none.
 */
export const KEYS_BY_CHANCE = select({
  drawn: computed<Buffer>('k.id'),
  hash: computed<Buffer>('k.credential_hash'),
  ...orNullAll(DRAWN_KEY),
}).from<{ relyingPartyId: Buffer; after: Buffer; limit: number }>(`
  (SELECT id, user_id, credential_hash FROM credentials
    WHERE relying_party_id = :relyingPartyId AND credential_hash > :after
    ORDER BY credential_hash LIMIT :limit) k
  LEFT JOIN credentials c ON c.user_id = k.user_id AND c.enabled = 1
  ORDER BY k.credential_hash, c.registered_at, c.id`);
export type DrawnRow = RowOf<typeof KEYS_BY_CHANCE>;
export type DrawnKeyRow = DrawnRow & RowOf<typeof DRAWN_KEY>;

/**
 * The closed relying parties that still have users. A scalar subquery looks into the index once for each; MariaDB would
 * turn EXISTS into a join, which may read every user.
 */
export const CLOSED_WITH_USERS = select(relyingParty.pick('id', 'tenantId')).from(
  `${relyingParty.from} WHERE ${relyingParty.closedAt} <> 0
  AND COALESCE((SELECT 1 FROM users u WHERE u.relying_party_id = ${relyingParty.id} LIMIT 1), 0) = 1`,
  { patienceMs: 10_000 },
);

export const USERS_LEFT_BEHIND = select({ id }).from<{ id: Buffer; limit: number }>(
  `users WHERE relying_party_id = :id LIMIT :limit`,
);

export const DELETE_CREDENTIALS_OF = sql<{ userIds: readonly Buffer[] }>(
  'DELETE FROM credentials WHERE user_id IN (:...userIds)',
);

export const DELETE_USERS = sql<{ userIds: readonly Buffer[] }>(
  'DELETE FROM users WHERE id IN (:...userIds)',
);

export const DELETE_WEBHOOKS_OF_TENANT = sql<{ tenantId: Buffer }>(
  'DELETE FROM webhooks WHERE tenant_id = :tenantId',
);

/**
 * Takes a tenant from the accounts that are limited to it: the next tenant of this name is not theirs. The list is JSON
 * without blanks.
 *
 * @param name in double quotes
 */
export const TAKE_TENANT_FROM_ACCOUNTS = sql<{ name: string; first: string; further: string }>(
  `UPDATE console_accounts SET changed_at = changed_at + 1,
    tenants = REPLACE(REPLACE(REPLACE(tenants, :first, ''), :further, ''), :name, '')
  WHERE INSTR(tenants, :name) > 0`,
);
