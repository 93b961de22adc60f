import { nameKey, type RelyingParty } from '../../tenancy/relying-party.js';
import type { LinkedUser } from '../../users/moves/linked-users.js';
import { userIdAt } from '../../users/moves/move-steps.js';
import type { ReadLine } from './upload-store.js';

/**
 * Excludes users who have the name of a line but are not the user whom the line meant when it was stored: the
 * name has been reassigned since.
 *
 * @param found the users of the lines' names, as returned by `LinkedUsers.find`
 */
export function listedUsers(
  rp: RelyingParty,
  lines: readonly Pick<ReadLine, 'username' | 'userId'>[],
  found: readonly LinkedUser[],
): LinkedUser[] {
  const meant = new Map(
    lines.flatMap(({ username, userId }) =>
      username === undefined ? [] : [[nameKey(rp, username), userId]],
    ),
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
