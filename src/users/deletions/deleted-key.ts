import type { Database } from '../../platform/database/database.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { credentialHashOf } from '../credentials/credential-reader.js';
import { DELETED_KEY } from './deletion.statements.js';

/** Whether a deletion that may still be undone has removed the key of this credential ID. */
export async function isDeletedKey(
  database: Database,
  owner: ScopeOwner,
  credentialId: Buffer,
): Promise<boolean> {
  const params = { ...scope(owner), credentialHash: credentialHashOf(credentialId) };
  const rows = await database.query(DELETED_KEY, params);
  return rows.length > 0;
}
