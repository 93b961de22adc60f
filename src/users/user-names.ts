import type { Database } from '../platform/database/database.js';
import { mapKey } from '../platform/database/row-ids.js';
import { scope } from '../platform/database/scope.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { NAMES_OF_USERS } from './user-name.statements.js';

/** The current names of users, by their IDs (`mapKey`); absent for users who do not exist. */
export async function namesOfUsers(
  database: Database,
  rp: RelyingParty,
  ids: readonly Buffer[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.query(NAMES_OF_USERS, { ...scope(rp), ids });
  return new Map(rows.map(({ id, username }) => [mapKey(id), username.toString('utf8')]));
}
