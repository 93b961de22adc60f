import { select, sql, type RowOf } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { Tenant } from '../tenant.entity.js';
import { ApplicationKey } from './application-key.entity.js';

const k = tableOf(ApplicationKey, 'k');
const t = tableOf(Tenant, 't');
const key = tableOf(ApplicationKey);

/** Keys with their tenants, including revoked keys and closed tenants, so that the log can name them. */
export const KEYS_BY_PREFIX = select({
  ...k.pick('id', 'name', 'prefix', 'secretHash', 'expiresAt', 'lastUsedAt', 'revokedAt'),
  ...k.pick('suspendedAt', 'scopes', 'relyingParties'),
  tenant: t.name,
  ...t.pick('closedAt'),
}).from<{ prefix: string }>(
  `${k.from} JOIN ${t.from} ON ${t.id} = ${k.tenantId} WHERE ${k.prefix} = :prefix`,
  { small: true },
);

/** The lists are JSON. */
export type ApplicationKeyRow = RowOf<typeof KEYS_BY_PREFIX>;

/** Records a use, unless one was recorded since `before`. */
export const NOTE_USE = sql<{ id: Buffer; now: number; before: number }>(`UPDATE ${key.from}
  SET ${key.lastUsedAt} = :now
  WHERE ${key.id} = :id AND (${key.lastUsedAt} IS NULL OR ${key.lastUsedAt} <= :before)`);

export const DELETE_KEYS_OF_TENANT = sql<{ tenantId: Buffer }>(
  `DELETE FROM ${key.from} WHERE ${key.tenantId} = :tenantId`,
);
