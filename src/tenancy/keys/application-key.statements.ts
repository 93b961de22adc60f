import { tableOf } from '../../platform/database/entities/table.js';
import { Tenant } from '../tenant.entity.js';
import { ApplicationKey } from './application-key.entity.js';

const k = tableOf(ApplicationKey, 'k');
const t = tableOf(Tenant, 't');
const key = tableOf(ApplicationKey);

/** prefix: keys with their tenants; revoked keys and closed tenants too, so that the log can tell which. */
export const KEYS_BY_PREFIX = `SELECT
    ${k.select('id', 'name', 'prefix', 'secretHash', 'scopes', 'relyingParties')},
    ${k.select('expiresAt', 'lastUsedAt', 'revokedAt', 'suspendedAt')},
    ${t.name} AS tenant, ${t.select('closedAt')}
  FROM ${k.from} JOIN ${t.from} ON ${t.id} = ${k.tenantId} WHERE ${k.prefix} = ?`;

/** now, id, before: notes a use, unless one has been noted since `before`. */
export const NOTE_USE = `UPDATE ${key.from} SET ${key.lastUsedAt} = ?
  WHERE ${key.id} = ? AND (${key.lastUsedAt} IS NULL OR ${key.lastUsedAt} <= ?)`;

/** tenant id. */
export const DELETE_KEYS_OF_TENANT = `DELETE FROM ${key.from} WHERE ${key.tenantId} = ?`;
