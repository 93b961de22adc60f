import { Injectable } from '@nestjs/common';
import { ApiError } from '../../platform/errors/api-error.js';
import { auditedUser } from '../../users/audited-user.js';
import { LinkedUsers } from '../../users/moves/linked-users.js';
import { UserChanges } from '../../users/user-changes.js';
import type { User } from '../../users/user.entity.js';
import { ScimUserChanges, type DirectoryCall } from './scim-user-changes.js';

/** Deletes users for a directory. */
@Injectable()
export class ScimUserDeletion {
  constructor(
    private readonly linked: LinkedUsers,
    private readonly users: UserChanges,
    private readonly changes: ScimUserChanges,
  ) {}

  /**
   * Deletes a user as the help desk does, which can be undone for a day; during a move at both domains.
   *
   * @throws ApiError E0044R if the user was deleted in the meantime
   */
  async remove(by: DirectoryCall, { id, username }: User): Promise<void> {
    const { rp, call } = by;
    this.changes.ensureCoversMove(by);
    const row = call.eachRow();
    const { requestId, account } = call;
    const undoable = { account: account.name, occasion: requestId };
    let isDeleted = false;
    for await (const user of this.linked.oneAfterTheOther(rp, username)) {
      const isIt = user.relyingParty.id.equals(rp.id);
      // Another user may have the name by now.
      if (isIt && !user.id.equals(id)) break;
      const context = { requestId, calledAt: rp, undoable };
      const audit = (found: typeof user) => row(auditedUser(found));
      const applied = await this.users.apply('delete-user', user, { ...context, audit });
      isDeleted ||= isIt && applied !== undefined;
    }
    if (!isDeleted) throw new ApiError('E0044R', 'user.unknown');
  }
}
