import { select, sql, type RowOf } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { Tenant } from '../tenant.entity.js';
import { ApplicationKey } from './application-key.entity.js';

const key = tableOf(ApplicationKey, 'k');
const tenant = tableOf(Tenant, 't');
const keys = tableOf(ApplicationKey);

/** Keys with their tenants, including revoked keys and closed tenants, so that the log can name them. */
export const KEYS_BY_PREFIX = select({
  ...key.pick('id', 'name', 'prefix', 'secretHash', 'expiresAt', 'lastUsedAt', 'revokedAt'),
  ...key.pick('suspendedAt', 'scopes', 'relyingParties'),
  tenant: tenant.name,
  ...tenant.pick('closedAt'),
}).from<{ prefix: string }>(
  `${key.from} JOIN ${tenant.from} ON ${tenant.id} = ${key.tenantId} WHERE ${key.prefix} = :prefix`,
  { small: true },
);

/** The lists are JSON. */
export type ApplicationKeyRow = RowOf<typeof KEYS_BY_PREFIX>;

/** Records a use, unless one was recorded since `before`. */
export const NOTE_USE = sql<{ id: Buffer; now: number; before: number }>(`UPDATE ${keys.from}
  SET ${keys.lastUsedAt} = :now
  WHERE ${keys.id} = :id AND (${keys.lastUsedAt} IS NULL OR ${keys.lastUsedAt} <= :before)`);

export const DELETE_KEYS_OF_TENANT = sql<{ tenantId: Buffer }>(
  `DELETE FROM ${keys.from} WHERE ${keys.tenantId} = :tenantId`,
);
