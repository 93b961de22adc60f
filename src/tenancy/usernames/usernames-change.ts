import type { Database } from '../../platform/database/database.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import { collisionsOf, foldNames } from './folded-names.js';

/** How many groups an answer lists. */
const MOST_GROUPS = 100;

type Policed = Pick<RelyingPartyEntity, 'policy'>;
type Stored = Pick<RelyingPartyEntity, 'id' | 'tenantId' | 'foldsNames'>;

/** The value of `folds_names` that a policy asks for. */
export const foldsNames = ({ policy }: Policed): 0 | 1 =>
  policy.usernames === 'case-insensitive' ? 1 : 0;

/**
 * Prepares the users of a relying party for a new policy: where case is not to count any more, it folds all
 * names.
 *
 * @param by who changes the policy; names are told to whoever may see users
 * @throws ApiError E0045R with the names that differ in their case alone; nothing is changed then
 */
export async function prepareNames(
  database: Database,
  by: Account,
  { before, after }: { readonly before: Stored; readonly after: Policed },
): Promise<void> {
  if (foldsNames(after) === before.foldsNames || !foldsNames(after)) return;
  const groups = await collisionsOf(database, before);
  if (groups.length > 0) throw collide(by, groups);
  // Somebody has just registered one of two such names.
  if (!(await foldNames(database, before))) throw collide(by, await collisionsOf(database, before));
}

function collide(by: Account, groups: readonly string[][]): ApiError {
  const collisions = groups.slice(0, MOST_GROUPS);
  const sees = may(by, 'users:read');
  const [first = []] = collisions;
  const names = first.map((name) => `"${name}"`).join(' and ');
  const body = { collisionsTotal: groups.length, ...(sees && { collisions }) };
  const parts = { body, field: 'usernames' };
  if (!sees) return new ApiError('E0045R', 'policy.hiddenNamesCollide', {}, parts);
  const reason = groups.length > 1 ? 'policy.manyNamesCollide' : 'policy.namesCollide';
  return new ApiError('E0045R', reason, { names }, parts);
}
