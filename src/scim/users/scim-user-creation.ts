import { Injectable } from '@nestjs/common';
import { atRelyingParty } from '../../audit/request-rows.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { ledgerStep } from '../../events/ledger.js';
import { Clock } from '../../platform/common/clock.js';
import { pooledRandomBytes } from '../../platform/common/random.js';
import type { Unit } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { newId } from '../../platform/database/row-ids.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import { insertUser } from '../../users/credentials/registration-writer.js';
import { Moves } from '../../users/moves/moves.js';
import type { Counterparts } from '../../users/moves/move-steps.js';
import { wordSteps } from '../../users/search/search-word-steps.js';
import { sharedSuspension } from '../../users/suspension/suspension.statements.js';
import { Suspensions } from '../../users/suspension/suspensions.js';
import { USER_HANDLE_BYTES, type User } from '../../users/user.entity.js';
import type { DirectoryCall } from '../protocol/scim-request.js';
import { columnsAfter, detailOf, NO_FACTS, storingColumns } from './directory-facts.js';
import { directorySuspension, ScimUserChanges, type UserAfterChange } from './scim-user-changes.js';
import { ScimUserFinder } from './scim-user-finder.js';
import type { NewUserWishes } from './user-document.js';

@Injectable()
export class ScimUserCreation {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly moves: Moves,
    private readonly finder: ScimUserFinder,
    private readonly changes: ScimUserChanges,
    private readonly suspensions: Suspensions,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * Creates a user without a key; a user of the predecessor who is expected here arrives.
   *
   * @throws ApiError E0045R `uniqueness` if another user has the name or the ID; E0043R during a move for a key that
   *   does not cover both domains
   */
  async create(by: DirectoryCall, wishes: NewUserWishes): Promise<UserAfterChange> {
    const { rp, call } = by;
    const { username, active, enrol } = wishes;
    this.changes.ensureMayEnrol(by, wishes);
    const id = await untilStored('user.changing', async () => {
      await this.finder.ensureFree(rp, wishes, undefined);
      const both = await this.moves.counterparts(rp, wishes.username);
      if (both) this.changes.ensureCoversMove(by);
      const { user, unit } = this.creation(by, wishes, both);
      const suspension = active === false ? await this.suspension(by, user, both) : undefined;
      const detail = { ...detailOf(wishes), ...(both && { linked: true }) };
      const row = call.useRowPerChange();
      const creation = row({ ...atRelyingParty(rp), target: username, detail });
      const rows = [creation, ...(suspension?.audit ?? [])];
      const isStored = await this.trail.commit(rows, [...unit, ...(suspension?.unit ?? [])]);
      return isStored ? user.id.toString('base64url') : OVERTAKEN;
    });
    const created = { ...by, id, expected: undefined };
    return this.changes.complete(created, enrol === undefined ? {} : { enrol });
  }

  /** The steps after the creation that suspend the user, in a move at both domains. */
  private suspension(
    { rp, call }: DirectoryCall,
    user: Pick<User, 'id' | 'username'>,
    both: Counterparts | undefined,
  ) {
    const predecessorUser = both && { ...both.predecessorUser, relyingParty: both.predecessor };
    const created = { ...user, suspendedBy: null, relyingParty: rp };
    return this.suspensions.prepareNew(created, predecessorUser, directorySuspension(call, false));
  }

  private creation(
    { rp, call }: DirectoryCall,
    { username, ...wishes }: NewUserWishes,
    both: Counterparts | undefined,
  ) {
    const at = this.clock.now();
    const id = both?.userId ?? newId(at);
    const displayName = wishes.displayName ?? both?.predecessorUser.displayName ?? username;
    const arrival = both && {
      userId: id,
      predecessorUserId: both.predecessorUser.id,
      predecessorUsername: both.predecessorUser.username,
    };
    const { steps } = this.moves;
    const user = { id, relyingParty: rp, username, displayName };
    const unit: Unit = [
      ...(arrival ? steps.arrival(rp, arrival, { isCreated: true }) : []),
      ...(steps.mayLink(rp, call.account.key) ? [] : steps.refusingLink(rp, id)),
      insertUser(
        { rp, userId: id, at },
        {
          ...user,
          userHandle: pooledRandomBytes(USER_HANDLE_BYTES),
          lockouts: 0,
          subject: both?.predecessorUser.subject,
        },
      ),
      // The unit fails if the name was taken or the relying party closed in the meantime: then no user was stored.
      storingColumns(rp, id, columnsAfter(NO_FACTS, wishes)),
      ...(both ? sharedSuspension(this.database.kind, rp, [both.predecessorUser.id]) : []),
      ...wordSteps(this.database.kind, [user]),
      ledgerStep({
        kind: 'user-created',
        at,
        relyingParty: rp,
        user: { id, username },
        requestId: call.requestId,
      }),
    ];
    return { user, unit };
  }
}
