import { Injectable } from '@nestjs/common';
import type { AuditDetail, AuditEntry } from '../../audit/audit-entry.js';
import { atRelyingParty } from '../../audit/request-rows.js';
import type { AuditedCall } from '../../audit/audited.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { ledgerStep } from '../../events/ledger.js';
import { Clock } from '../../platform/common/clock.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { KnownUser } from '../credentials/credential-reader.js';
import {
  noneEnded,
  LockOuts,
  addEnded,
  endedDetail,
  type EndedPermits,
  type LockOut,
} from '../lock-outs.js';
import { Moves } from '../moves/moves.js';
import {
  SIDES,
  isSuspendedBy,
  type HelpDeskSuspension,
  type SuspendingSide,
} from './suspension.js';
import { END_SUSPENSION, SUSPEND_USER } from './suspension.statements.js';

/** A user of a suspension: during a move, the same user may be at both domains. */
interface SuspendedUser extends Pick<KnownUser, 'id' | 'username' | 'suspendedBy'> {
  readonly relyingParty: RelyingParty;
}

type SuspendedUsers = readonly [SuspendedUser, ...SuspendedUser[]];

export interface SuspensionChange {
  /** The user who must have the name, as it was read: the unit must not apply if it has changed. Any user by default. */
  readonly known?: Pick<KnownUser, 'id' | 'username' | 'suspendedBy'> | undefined;
  readonly side: SuspendingSide;
  /** Whether this side suspends the user from now on. */
  readonly suspended: boolean;
  /** For the help desk: who suspends the user, and why. */
  readonly by?: Omit<HelpDeskSuspension, 'at'>;
  readonly requestId: string;
  /** Creates the audit row of a user, which is stored with the change. */
  readonly audit: (user: SuspendedUser, detail: AuditDetail) => AuditEntry;
}

interface HelpDeskCall {
  readonly known?: SuspensionChange['known'];
  readonly suspended: boolean;
  readonly by: Omit<HelpDeskSuspension, 'at'>;
  readonly call: Pick<AuditedCall, 'commit' | 'useRowPerChange' | 'requestId'>;
}

interface SuspensionResult {
  /** The user before the change: at the relying party of the call, unless the user is expected there. */
  readonly user: SuspendedUser;
  /** Whether anything changed. */
  readonly isChanged: boolean;
  /** The sides that suspend the user after the change, as `SIDES` adds them up. */
  readonly suspendedBy: number | null;
  readonly ended: EndedPermits;
}

/** What a change does to one user: at least it is news, or it ends permissions. */
interface SuspensionPart {
  readonly user: SuspendedUser;
  readonly lockOut: LockOut | undefined;
  readonly ended: EndedPermits;
  /** Whether this side begins or ends to suspend the user, by a step or by the link. */
  readonly isNews: boolean;
}

/** A change as a unit with its audit rows: none if there is nothing to change. */
interface PreparedSuspension {
  readonly result: SuspensionResult;
  readonly audit: readonly AuditEntry[];
  readonly unit: readonly Step[];
}

/**
 * Suspends users and ends suspensions, during a move at both domains in one unit. A suspended user can neither sign in
 * nor register; the keys stay as they are. The unit locks the user's row, on which the unit of each sign-in depends, so
 * that no instance accepts a sign-in of the user once `change` has resolved.
 */
@Injectable()
export class Suspensions {
  constructor(
    private readonly moves: Moves,
    private readonly lockOuts: LockOuts,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Suspends a user, or ends the suspension by this side. Suspending also locks the user out (`LockOuts`), even a user
   * who is suspended already.
   *
   * @returns `undefined` if there is no such user, or another user than `known` has the name
   * @throws ApiError E0052R if concurrent changes were faster each time
   */
  async change(
    rp: RelyingParty,
    username: string,
    change: SuspensionChange,
  ): Promise<SuspensionResult | undefined> {
    return untilStored('user.changing', async () => {
      const prepared = await this.prepare(rp, username, change);
      if (!prepared) return undefined;
      const { result, audit, unit } = prepared;
      const isDone = !result.isChanged || (await this.trail.commit(audit, unit));
      return isDone ? result : OVERTAKEN;
    });
  }

  /** The same as steps of a larger unit, which fails if the user is changed in the meantime. */
  async prepare(
    rp: RelyingParty,
    username: string,
    change: SuspensionChange,
  ): Promise<PreparedSuspension | undefined> {
    const found = await this.moves.atDomains(rp, username, change.known);
    if (!found) return undefined;
    const { users, linking } = found;
    const prepared = await this.changing(users, change, (one) =>
      this.lockOuts.of(one, users.length === 1 ? rp : one.relyingParty),
    );
    return { ...prepared, unit: [...linking, ...prepared.unit] };
  }

  /**
   * The steps that suspend a user whom earlier steps of the same unit create, and link to a user of the predecessor if
   * there is one.
   */
  prepareNew(
    user: SuspendedUser,
    predecessorUser: SuspendedUser | undefined,
    change: SuspensionChange,
  ): Promise<PreparedSuspension> {
    const { relyingParty: rp } = user;
    if (!predecessorUser) return this.changing([user], change, (one) => this.lockOuts.of(one, rp));
    // The lock-out of the predecessor's user ends the permissions of both.
    return this.changing([user, predecessorUser], change, async (one) =>
      one === predecessorUser ? this.lockOuts.of(one, rp) : undefined,
    );
  }

  /**
   * As `change`, by an account or an application key. The call has a row for each user who changed, else one.
   *
   * @param call about the relying party
   */
  async byHelpDesk(
    rp: RelyingParty,
    username: string,
    { known, suspended, by, call }: HelpDeskCall,
  ): Promise<SuspensionResult | undefined> {
    const row = call.useRowPerChange();
    const reason = by.reason === undefined ? {} : { reason: by.reason };
    const result = await this.change(rp, username, {
      known,
      side: 'helpDesk',
      suspended,
      by,
      requestId: call.requestId,
      audit: ({ username: target, relyingParty }, detail) =>
        row({ ...atRelyingParty(relyingParty), target, detail: { ...reason, ...detail } }),
    });
    if (result?.isChanged === false) await call.commit([], { detail: { changed: false } });
    return result;
  }

  private async changing(
    users: SuspendedUsers,
    change: SuspensionChange,
    lockOutOf: (user: SuspendedUser) => Promise<LockOut | undefined>,
  ): Promise<PreparedSuspension> {
    const [user] = users;
    // The steps that link the users of a move make both suspended if one is.
    const before = users.map(({ suspendedBy }) => suspendedBy ?? 0).reduce((a, b) => a | b);
    const isAsWanted = (suspendedBy: number | null) =>
      isSuspendedBy({ suspendedBy }, change.side) === change.suspended;
    const isLinkingEnough = isAsWanted(before);

    const parts: SuspensionPart[] = [];
    for (const one of users) {
      const lockOut = change.suspended ? await lockOutOf(one) : undefined;
      const ended = lockOut?.ended ?? noneEnded();
      const isNews = !isLinkingEnough || !isAsWanted(one.suspendedBy);
      if (isNews || ended.tickets + ended.invitations > 0)
        parts.push({ user: one, lockOut, ended, isNews });
    }

    const ended = noneEnded();
    for (const part of parts) addEnded(ended, part);
    const side = SIDES[change.side];
    const after = change.suspended ? before | side : before & ~side;
    const isChanged = parts.length > 0;
    return {
      result: { user, isChanged, suspendedBy: after === 0 ? null : after, ended },
      audit: parts.map((part) => change.audit(part.user, endedDetail(part.ended))),
      unit: parts.flatMap(({ user: one, lockOut, isNews }) => [
        ...(lockOut?.permits ?? []),
        ...(isLinkingEnough ? [] : [this.stepOf(one, change)]),
        ...(isNews ? [this.event(one, change)] : []),
        ...(lockOut ? [lockOut.countStep] : []),
      ]),
    };
  }

  private stepOf(
    { id, relyingParty }: SuspendedUser,
    { side, suspended, by }: SuspensionChange,
  ): Step {
    const params = { ...scope(relyingParty), id, side: SIDES[side] };
    if (!suspended) return END_SUSPENSION.mustChange({ ...params, helpDesk: SIDES.helpDesk });
    const suspension: HelpDeskSuspension | undefined = by && { ...by, at: this.clock.now() };
    const suspensionJson = suspension ? JSON.stringify(suspension) : null;
    return SUSPEND_USER.mustChange({ ...params, suspensionJson });
  }

  private event(
    { id, username, relyingParty }: SuspendedUser,
    { side, suspended, requestId }: SuspensionChange,
  ): Step {
    return ledgerStep({
      kind: suspended ? 'user-suspended' : 'user-unsuspended',
      at: this.clock.now(),
      relyingParty,
      user: { id, username },
      requestId,
      detail: side,
    });
  }
}
