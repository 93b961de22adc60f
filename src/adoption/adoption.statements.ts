import { Credential } from '../users/credentials/credential.entity.js';
import { tableOf } from '../platform/database/entities/table.js';

const c = tableOf(Credential, 'c');
const o = tableOf(Credential, 'o');

/**
 * rp, hash, limit: the keys behind a hash, and whether their users had a key before. Of keys that were
 * registered or imported in the same millisecond, the IDs tell which came first.
 */
export const KEYS_BY_HASH = `SELECT
    ${c.select('credentialHash', 'aaguid', 'backupEligible', 'registeredAt')},
    EXISTS (SELECT 1 FROM ${o.from} WHERE ${o.userId} = ${c.userId}
      AND (${o.registeredAt}, ${o.id}) < (${c.registeredAt}, ${c.id})) further
  FROM ${c.from} WHERE ${c.positionalScope} AND ${c.credentialHash} > ?
  ORDER BY ${c.credentialHash} LIMIT ?`;
