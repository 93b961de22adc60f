import { Injectable } from '@nestjs/common';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { Moves } from '../../users/moves/moves.js';
import { UserChanges } from '../../users/user-changes.js';
import { factsOfUser, type FoundUser } from '../../users/user-rows.js';
import { readUsers } from '../../users/users-by-name.js';
import { ensureVersion } from '../protocol/resource.js';
import type { DirectoryCall, ResourceCall } from '../protocol/scim-request.js';
import { ScimUserChanges } from './scim-user-changes.js';
import { ScimUserFinder } from './scim-user-finder.js';
import { userResource } from './user-resource.js';

@Injectable()
export class ScimUserDeletion {
  constructor(
    private readonly database: Database,
    private readonly finder: ScimUserFinder,
    private readonly relyingParties: RelyingPartyCache,
    private readonly moves: Moves,
    private readonly users: UserChanges,
    private readonly changes: ScimUserChanges,
  ) {}

  /**
   * Deletes a user as the help desk does, which can be undone for a day; during a move at both domains, at the
   * predecessor first. Users are found by their IDs: another user may get the name in the meantime.
   *
   * @throws ApiError E0044R if there is no such user; E0053R for another version; E0043R during a move for a key that
   *   does not cover both domains; E0052R if concurrent changes were faster each time
   */
  async remove(by: ResourceCall): Promise<void> {
    const { rp, id } = by;
    this.changes.ensureCoversMove(by);
    let versions = by.expected;
    await untilStored('user.changing', async () => {
      const user = await this.finder.get(rp, id);
      ensureVersion(versions, userResource(by, user));
      const asRead = versions ? [this.finder.asRead(rp, user)] : [];
      const linked = await this.predecessorUser(rp, user.id);
      if (linked) {
        if (!(await this.delete(by, linked.user, [...asRead, ...linked.steps]))) return OVERTAKEN;
        // What began at the predecessor is completed, whatever happens here.
        versions = undefined;
      }
      const [found] = await readUsers(this.database, rp, [user.id]);
      const isDeleted = found && (await this.delete(by, found, linked ? [] : asRead));
      return isDeleted || OVERTAKEN;
    });
  }

  /** The same user at the predecessor, and the steps that fail if it is another user. */
  private async predecessorUser(rp: RelyingParty, userId: Buffer) {
    if (!this.relyingParties.current.predecessorOf(rp)) return undefined;
    const elsewhere = await this.moves.elsewhere(rp, userId);
    if (!elsewhere) return undefined;
    const [user] = await readUsers(this.database, elsewhere.rp, [elsewhere.id]);
    if (!user) return undefined;
    const both = { successor: rp, userId, successorUser: user, predecessorUser: user };
    return { user, steps: this.moves.steps.linking(both) };
  }

  private async delete(
    { rp, call }: DirectoryCall,
    user: FoundUser,
    firstSteps: readonly Step[],
  ): Promise<boolean> {
    const { requestId, account } = call;
    const row = call.useRowPerChange();
    const undoable = { account: account.name, occasion: requestId };
    const applied = await this.users.apply({ kind: 'delete-user', undoable }, user, {
      requestId,
      calledAt: rp,
      audit: (found) => row(factsOfUser(found)),
      ...(firstSteps.length > 0 && { firstSteps }),
    });
    return applied !== undefined;
  }
}
