import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { Tenant } from '../tenant.entity.js';
import { ApplicationKey } from './application-key.entity.js';

const k = tableOf(ApplicationKey, 'k');
const t = tableOf(Tenant, 't');
const key = tableOf(ApplicationKey);

export type ApplicationKeyRow = Pick<
  ApplicationKey,
  'id' | 'name' | 'prefix' | 'secretHash' | 'expiresAt' | 'lastUsedAt' | 'revokedAt' | 'suspendedAt'
> & {
  /** JSON. */
  readonly scopes: string;
  readonly relyingParties: string | null;
  readonly tenant: string;
  readonly closedAt: number;
};

/** Keys with their tenants, including revoked keys and closed tenants, so that the log can name them. */
export const KEYS_BY_PREFIX = sql<{ prefix: string }, ApplicationKeyRow>(
  `SELECT
    ${k.select('id', 'name', 'prefix', 'secretHash', 'scopes', 'relyingParties')},
    ${k.select('expiresAt', 'lastUsedAt', 'revokedAt', 'suspendedAt')},
    ${t.name} AS tenant, ${t.select('closedAt')}
  FROM ${k.from} JOIN ${t.from} ON ${t.id} = ${k.tenantId} WHERE ${k.prefix} = :prefix`,
  { small: true },
);

/** Records a use, unless one was recorded since `before`. */
export const NOTE_USE = sql<{ id: Buffer; now: number; before: number }>(`UPDATE ${key.from}
  SET ${key.lastUsedAt} = :now
  WHERE ${key.id} = :id AND (${key.lastUsedAt} IS NULL OR ${key.lastUsedAt} <= :before)`);

export const DELETE_KEYS_OF_TENANT = sql<{ tenantId: Buffer }>(
  `DELETE FROM ${key.from} WHERE ${key.tenantId} = :tenantId`,
);
