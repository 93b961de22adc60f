import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { AuditEntry } from '../audit/audit-entry.js';
import { Clock } from '../platform/common/clock.js';
import { Database } from '../platform/database/database.js';
import type { Step, Unit } from '../platform/database/commit/unit.js';
import { ledgerStep, type LedgerEvent } from '../events/ledger.js';
import { scope } from '../platform/database/scope.js';
import { OVERTAKEN, untilStored } from '../platform/database/commit/until-stored.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { SET_DELETED_KEY_STATE, SET_KEY_STATE } from './credentials/key-state.statements.js';
import { LOCK_USER_WITHOUT_OTHER_KEYS } from './user-change.statements.js';
import { keyDeletion, userDeletion, type UndoableDeletion } from './deletions/deletion-steps.js';
import {
  DELETED_KEYS_OF_USER,
  LOCK_USER_WITHOUT_ENABLED_DELETED_KEY,
} from './deletions/deletion.statements.js';
import { LockOuts, endedDetail, noneEnded, type EndedPermits, type LockOut } from './lock-outs.js';
import {
  isChangedBy,
  isEnabled,
  isReported,
  keyStateSteps,
  stateChanges,
  type KeyDisabling,
  type StateChange,
  type StoredKeyState,
} from './credentials/key-state.js';
import { MoveSteps } from './moves/move-steps.js';
import type { Pattern } from './search/pattern.js';
import type { FoundCredential, FoundUser } from './user-rows.js';
import { UserSearch } from './search/user-search.js';

interface DeletionChange {
  readonly kind: 'delete-user' | 'delete';
  /** It can be undone for a day. Without it, no copy is stored. */
  readonly undoable?: UndoableDeletion | undefined;
  /** The name that the user must still have. A user to delete must have the found name by default. */
  readonly requiredName?: string;
}

interface KeyStateChange {
  readonly kind: StateChange;
  /** The account that makes it, and why; for `lift`, with the job to undo. */
  readonly by: KeyDisabling;
}

/** A change that an account makes to a user or credentials. */
export type UserChange = DeletionChange | KeyStateChange;

interface ChangeContext {
  readonly requestId: string;
  /** Part of a long job: other changes take precedence. */
  readonly background?: boolean;
  /** The first steps of the unit. With them the change is tried once: they may fail because of another user. */
  readonly firstSteps?: readonly Step[];
  /** Further steps of the same unit, given the number of credentials that it changes. */
  readonly furtherSteps?: (credentials: number) => readonly Step[];
  /** The audit row of the change, which is stored in the same unit. */
  readonly audit?: ((user: FoundUser) => AuditEntry) | undefined;
}

interface FoundUserContext extends ChangeContext {
  /** The relying party of the call; that of the user by default. */
  readonly calledAt?: RelyingParty;
  /** Selects credentials; all if absent. */
  readonly device?: Pattern | undefined;
}

/** The credentials that a change concerned, and the permissions to register others that it ended. */
export interface AppliedChange {
  readonly credentials: readonly FoundCredential[];
  readonly ended: EndedPermits;
}

/** What a change does to a user and to the keys that a search found, planned from what was read. */
interface ChangePlan {
  /** With the credentials to change. */
  readonly user: FoundUser;
  readonly before: readonly Step[];
  readonly after: readonly Step[];
  /** Absent if nothing changes that a caller or the audit trail should know. */
  readonly applied: AppliedChange | undefined;
}

/** A key's row ID, and the state that a change gives the key. */
export type ChangedKey = StoredKeyState & Pick<FoundCredential, 'id'>;

/** Returns steps for the unit in which a user reports these keys, or an account enables reported ones. */
type ReportSteps = (user: FoundUser, keys: readonly ChangedKey[]) => Promise<readonly Step[]>;

/**
 * Changes users and credentials for accounts: one unit for each user, with an event for each changed
 * credential and, if the context has one, the audit row. Every step checks the old state: of two requests for the same
 * change, one makes and reports it.
 */
@Injectable()
export class UserChanges {
  private readonly onReport: ReportSteps[] = [];

  constructor(
    private readonly database: Database,
    private readonly search: UserSearch,
    private readonly clock: Clock,
    private readonly trail: AuditTrail,
    private readonly lockOuts: LockOuts,
    private readonly moveSteps: MoveSteps,
  ) {}

  registerReportSteps(steps: ReportSteps): void {
    this.onReport.push(steps);
  }

  /**
   * Changes a user's credentials that the search found, all of them or none; credentials in the wanted state stay
   * unchanged. If a credential is registered in the meantime, the search is repeated. If all are disabled, those that
   * were deleted on a page are too, since an undo would restore them; the same applies when the disabling is undone.
   * Disabling or deleting all keys also locks the user out (`LockOuts`).
   *
   * @returns what changed; `undefined` if nothing did: the user was deleted or is already as requested, or a first step
   *   failed
   * @throws ApiError E0052R if concurrent changes were faster each time
   */
  async apply(
    change: UserChange,
    found: FoundUser,
    context: FoundUserContext,
  ): Promise<AppliedChange | undefined> {
    let user = found;
    return untilStored('user.changing', async () => {
      const plan = await this.planOf(change, user, context);
      if (!plan) return undefined;
      if (await this.store(change, plan, context)) return plan.applied;
      if (context.firstSteps) return undefined;
      const now = await this.search.reread(user, context.device);
      if (!now) return undefined;
      // A user who was renamed in the meantime is not deleted by the old name.
      if (change.kind === 'delete-user' && now.username !== user.username) return undefined;
      user = now;
      return OVERTAKEN;
    });
  }

  /**
   * Changes exactly these credentials of a user.
   *
   * @returns `false`, and changes nothing, if the user or one of them is not as it was found, or a further step fails
   */
  applyOnce(change: UserChange, user: FoundUser, context: ChangeContext): Promise<boolean> {
    const applied = { credentials: user.credentials, ended: noneEnded() };
    return this.store(change, { user, before: [], after: [], applied }, context);
  }

  /**
   * The steps that delete users who have no keys, with events that contain pseudonyms. Their unit fails if one was
   * renamed or deleted, or has a key by now.
   */
  deletionOfKeyless(
    users: readonly FoundUser[],
    { pseudonym, requestId }: { readonly pseudonym: string; readonly requestId: string },
  ): Unit {
    return users.flatMap(({ username: requiredName, ...user }) => {
      const left = { ...user, username: pseudonym, credentials: [] };
      return this.stepsOf({ kind: 'delete-user', requiredName }, left, requestId);
    });
  }

  /** @returns `undefined` if there is nothing to do */
  private async planOf(
    change: UserChange,
    found: FoundUser,
    context: FoundUserContext,
  ): Promise<ChangePlan | undefined> {
    const { device, calledAt = found.relyingParty } = context;
    const credentials = found.credentials.filter(
      (one) => !('by' in change) || isChangedBy(change.kind, one, change.by),
    );
    const user = { ...found, credentials };
    const deletedKeys = device ? [] : await this.deletedKeys(change, user);
    const lockOut = isLockOut(change, context) ? await this.lockOuts.of(user, calledAt) : undefined;
    const ended = lockOut?.ended ?? noneEnded();
    const changed = credentials.length + deletedKeys.length + ended.tickets + ended.invitations;
    const changesNothing = changed === 0 && change.kind !== 'delete-user';
    if (changesNothing && !lockOut) return undefined;
    const { before, after } = around(change, user, lockOut);
    const setState = SET_DELETED_KEY_STATE[this.database.kind];
    const ofDeletedKeys = keyStateSteps(setState, user.relyingParty, deletedKeys);
    // A lock-out is stored even if no key changes, since it ends pending registrations. It is not reported then.
    const applied = changesNothing ? undefined : { credentials, ended };
    return { user, before, after: [...ofDeletedKeys, ...after], applied };
  }

  /** The deleted keys whose state a change of all keys changes, since an undo would restore them. */
  private async deletedKeys(change: UserChange, { id: userId, relyingParty }: FoundUser) {
    if (change.kind !== 'disable' && change.kind !== 'lift') return [];
    const params = { ...scope(relyingParty), userId };
    const keys = await this.database.query(DELETED_KEYS_OF_USER, params);
    return stateChanges(change.kind, keys, change.by);
  }

  private async store(
    change: UserChange,
    { user, before, after, applied }: ChangePlan,
    context: ChangeContext,
  ): Promise<boolean> {
    const { requestId, audit, firstSteps = [], furtherSteps, background = false } = context;
    const unit = [
      ...firstSteps,
      ...before,
      ...this.stepsOf(change, user, requestId),
      ...(furtherSteps?.(user.credentials.length) ?? []),
      ...after,
      ...('by' in change ? await this.reportSteps(change, user) : []),
    ];
    if (!audit || !applied) return this.database.commit(unit, { background });
    const row = audit(user);
    const detail = { ...row.detail, ...endedDetail(applied.ended) };
    return this.trail.commit([{ ...row, detail }], unit, { background });
  }

  private stepsOf(change: UserChange, user: FoundUser, requestId: string): Step[] {
    const context = { ...change, at: this.clock.now(), requestId };
    switch (change.kind) {
      case 'delete-user': {
        const requiredName = change.requiredName ?? user.username;
        return [...userDeletion(user, context), ...this.moveSteps.deleting(user, requiredName)];
      }
      case 'delete':
        return keyDeletion(user, context);
      default:
        return this.stateSteps(change, user, requestId);
    }
  }

  /** A key that is also disabled for the other reason stays disabled: such a change has no event. */
  private stateSteps({ kind, by }: KeyStateChange, user: FoundUser, requestId: string): Step[] {
    const { id, username, relyingParty } = user;
    const facts = { at: this.clock.now(), relyingParty, user: { id, username }, requestId };
    const changes = stateChanges(kind, user.credentials, by);
    const events = changes
      .filter(({ key, state }) => key.enabled !== isEnabled(state))
      .map(({ key: { credentialHash }, state }): LedgerEvent => ({
        ...facts,
        kind: isEnabled(state) ? 'enabled' : 'disabled',
        credentialHash,
      }));
    return [
      ...keyStateSteps(SET_KEY_STATE[this.database.kind], relyingParty, changes),
      ...(events.length > 0 ? [ledgerStep(...events)] : []),
    ];
  }

  /** The steps for keys of which the change begins or ends a report. */
  private async reportSteps({ kind, by }: KeyStateChange, user: FoundUser): Promise<Step[]> {
    const keys = stateChanges(kind, user.credentials, by).flatMap(({ key, state }) => {
      const changed = { id: key.id, ...state, enabled: isEnabled(state) };
      return isReported(key) === isReported(changed) ? [] : [changed];
    });
    if (keys.length === 0) return [];
    const steps = await Promise.all(this.onReport.map((stepsOf) => stepsOf(user, keys)));
    return steps.flat();
  }
}

/**
 * The steps before and after the change. A disabled or deleted key may have vouched for a credential that the search
 * did not find yet. The conditions follow the change, which waits for the unit of such a registration. `DELETE_USER`
 * has a condition of its own.
 */
function around(
  change: UserChange,
  user: FoundUser,
  lockOut: LockOut | undefined,
): Pick<ChangePlan, 'before' | 'after'> {
  const permits = lockOut?.permits ?? [];
  const count = lockOut ? [lockOut.countStep] : [];
  switch (change.kind) {
    case 'delete-user':
      // The copy that an undo restores contains the number.
      return { before: [...permits, ...(change.undoable ? count : [])], after: [] };
    case 'delete':
      return { before: permits, after: [whileWithoutOtherKeys(user), ...count] };
    case 'disable': {
      const ofAll = lockOut ? [whileNoneIsRestored(user)] : [];
      return { before: permits, after: [...ofAll, whileWithoutOtherKeys(user), ...count] };
    }
    case 'enable':
    case 'lift':
      return { before: [], after: [] };
  }
}

/** Whether a change disables or deletes all keys of a user. */
export const isLockOut = (
  { kind }: UserChange,
  { device }: Pick<FoundUserContext, 'device'>,
): boolean => !device && (kind === 'disable' || isDeletion(kind));

export const isDeletion = (kind: UserChange['kind']): kind is DeletionChange['kind'] =>
  kind === 'delete-user' || kind === 'delete';

/** SQL has no empty list, so the user's own ID is used instead, which no credential has. */
const whileWithoutOtherKeys = ({ id: userId, relyingParty, credentialIds: ids }: FoundUser) =>
  LOCK_USER_WITHOUT_OTHER_KEYS.mustChange({
    ...scope(relyingParty),
    userId,
    ids: ids.length > 0 ? ids : [userId],
  });

const whileNoneIsRestored = ({ id: userId, relyingParty }: FoundUser) =>
  LOCK_USER_WITHOUT_ENABLED_DELETED_KEY.mustChange({ ...scope(relyingParty), userId });
