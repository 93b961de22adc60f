import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import type { LinkedUser, LinkedUsers } from '../../users/moves/linked-users.js';
import { userIdAt } from '../../users/moves/move-steps.js';
import type { ReadLine } from './upload-store.js';

/**
 * Finds the users of lines, except users who have the name of a line but are not the user whom the line meant when
 * it was stored: the name has been reassigned since.
 */
export async function listedUsers(
  linked: LinkedUsers,
  rp: RelyingParty,
  lines: readonly ReadLine[],
): Promise<LinkedUser[]> {
  const named = lines.filter((line) => line.username !== undefined);
  const meant = new Map(named.map(({ username, userId }) => [nameKey(rp, username), userId]));
  const found = await linked.find(
    rp,
    named.map(({ username }) => username),
  );
  const ofName = Map.groupBy(found, ({ name }) => nameKey(rp, name));
  return [...ofName].flatMap(([name, users]) => {
    const id = meant.get(name);
    if (!id) return users;
    // A user of the old domain may have moved to the new one since.
    const ids = [id, userIdAt(rp, id)];
    return users.some(({ user }) => ids.some((one) => one.equals(user.id))) ? users : [];
  });
}
