import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { Tenant } from '../tenant.entity.js';
import { ApplicationKey } from './application-key.entity.js';

const k = tableOf(ApplicationKey, 'k');
const t = tableOf(Tenant, 't');
const key = tableOf(ApplicationKey);

/** The columns that are read as the entity has them. */
const READ = [
  'id',
  'name',
  'prefix',
  'secretHash',
  'expiresAt',
  'lastUsedAt',
  'revokedAt',
  'suspendedAt',
] as const satisfies readonly (keyof ApplicationKey)[];

export type ApplicationKeyRow = Pick<ApplicationKey, (typeof READ)[number]> & {
  /** JSON. */
  readonly scopes: string;
  readonly relyingParties: string | null;
  readonly tenant: string;
  readonly closedAt: number;
};

/** Keys with their tenants, including revoked keys and closed tenants, so that the log can name them. */
export const KEYS_BY_PREFIX = sql<{ prefix: string }, ApplicationKeyRow>(
  `SELECT ${k.select(...READ, 'scopes', 'relyingParties')},
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
