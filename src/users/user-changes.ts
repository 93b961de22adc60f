import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { AuditEntry } from '../audit/audit-entry.js';
import { Clock } from '../platform/common/clock.js';
import { Database } from '../platform/database/database.js';
import type { Step, Unit } from '../platform/database/commit/unit.js';
import { keyEvents, ledgerStep, type LedgerEvent } from '../events/ledger.js';
import { scope } from '../platform/database/scope.js';
import { OVERTAKEN, untilStored } from '../platform/database/commit/until-stored.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import {
  DELETE_CREDENTIALS,
  DELETE_USER,
  LOCK_USER_WITHOUT_OTHER_KEYS,
  SET_DELETED_KEY_STATE,
  SET_KEY_STATE,
  LOCK_USER_OF_NAME,
} from './change.statements.js';
import { endingSteps, copyingSteps, type UndoableDeletion } from './deletions/deletion-steps.js';
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
import type { Pattern } from './search/pattern.js';
import type { FoundCredential, FoundUser } from './user-rows.js';
import { UserSearch } from './search/user-search.js';

type DeletionChange = 'delete-user' | 'delete';

/** Changes that accounts make to users and credentials. */
export type UserChange = DeletionChange | StateChange;

interface UserChangeContext {
  readonly requestId: string;
  /** The relying party of the call; that of the user by default. */
  readonly calledAt?: RelyingParty;
  /** For a change of state: the account that makes it, and why; for `lift`, with the job to undo. */
  readonly by?: KeyDisabling;
  /** Selects credentials; all if absent. */
  readonly device?: Pattern | undefined;
  /** Part of a long job: other changes take precedence. */
  readonly background?: boolean;
  /** For a deletion: it can be undone for a day. Without it, no copy is stored. */
  readonly undoable?: UndoableDeletion | undefined;
  /** For a deletion: the name that the user must still have. A user to delete must have the found name by default. */
  readonly requiredName?: string;
  /** The first steps of the unit. With them the change is tried once: they may fail because of another user. */
  readonly guards?: readonly Step[];
  /** Further steps of the same unit, given the number of credentials that it changes. */
  readonly furtherSteps?: (credentials: number) => readonly Step[];
  /** The audit row of the change, which is stored in the same unit. */
  readonly audit?: ((user: FoundUser) => AuditEntry) | undefined;
}

/** The credentials that a change concerned, and the permissions to register others that it ended. */
export interface AppliedChange {
  readonly credentials: readonly FoundCredential[];
  readonly ended: EndedPermits;
}

/** What a change of all keys of a user does besides. */
interface ChangeOfAllKeys {
  /** Whether it changes deleted keys, or ends permissions to register others. */
  readonly changesMore: boolean;
  /** The steps for deleted keys, which an undo would restore. */
  readonly deletedKeys: readonly Step[];
  readonly lockOut: LockOut | undefined;
}

/** A context with the lock-out that the change is, if any. */
type UnitContext = UserChangeContext & { readonly lockOut?: LockOut | undefined };

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
   * @returns what changed; `undefined` if nothing did: the user was deleted or is already as requested, or a guard failed
   * @throws ApiError E0052R if concurrent changes were faster each time
   */
  async apply(
    change: UserChange,
    found: FoundUser,
    context: UserChangeContext,
  ): Promise<AppliedChange | undefined> {
    let user = found;
    return untilStored('user.changing', async () => {
      const touched = user.credentials.filter(
        (one) => isDeletion(change) || isChangedBy(change, one, context.by),
      );
      const ofAll = context.device ? undefined : await this.ofAllKeys(change, user, context);
      const lockOut = ofAll?.lockOut;
      const ended = lockOut?.ended ?? noneEnded();
      const isIdle = touched.length === 0 && change !== 'delete-user' && !ofAll?.changesMore;
      if (isIdle && !lockOut) return undefined;
      const changed = { ...user, credentials: touched };
      const furtherSteps = this.stepsBeside(change, changed, context.furtherSteps, ofAll);
      const audit = isIdle ? undefined : context.audit;
      const unitContext = { ...context, audit, furtherSteps, lockOut };
      if (await this.applyOnce(change, changed, unitContext)) {
        return isIdle ? undefined : { credentials: touched, ended };
      }
      if (context.guards) return undefined;
      const now = await this.search.reread(user, context.device);
      if (!now) return undefined;
      // A user who was renamed in the meantime is not deleted by the old name.
      if (change === 'delete-user' && now.username !== user.username) return undefined;
      user = now;
      return OVERTAKEN;
    });
  }

  /**
   * Changes exactly these credentials of a user.
   *
   * @returns `false`, and changes nothing, if the user or one of them is not as it was found, or a further step fails
   */
  async applyOnce(change: UserChange, user: FoundUser, context: UnitContext): Promise<boolean> {
    const { audit, lockOut, guards = [], background = false } = context;
    const unit = [
      ...guards,
      ...(lockOut?.permits ?? []),
      ...this.unit(change, user, context),
      ...(isDeletion(change) ? [] : await this.reportSteps(change, user, context)),
    ];
    return audit
      ? this.trail.commit([withEnded(audit(user), lockOut)], unit, { background })
      : this.database.commit(unit, { background });
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
      return this.unit('delete-user', left, { requestId, requiredName });
    });
  }

  /** What a change without `device` does besides. */
  private async ofAllKeys(
    change: UserChange,
    user: FoundUser,
    { by, calledAt = user.relyingParty }: UserChangeContext,
  ): Promise<ChangeOfAllKeys> {
    const { id: userId, relyingParty } = user;
    const all = { ...scope(relyingParty), userId };
    const deleted =
      change === 'disable' || change === 'lift'
        ? stateChanges(change, await this.database.query(DELETED_KEYS_OF_USER, all), by)
        : [];
    const lockOut = isLockOut(change, {}) ? await this.lockOuts.of(user, calledAt) : undefined;
    const { tickets, invitations } = lockOut?.ended ?? noneEnded();
    return {
      changesMore: deleted.length + tickets + invitations > 0,
      deletedKeys: [
        ...keyStateSteps(SET_DELETED_KEY_STATE[this.database.kind], relyingParty, deleted),
        ...(change === 'disable' ? [LOCK_USER_WITHOUT_ENABLED_DELETED_KEY.mustChange(all)] : []),
      ],
      lockOut,
    };
  }

  /**
   * A disabled or deleted key may have vouched for a credential that the search did not find yet. The conditions
   * follow the change, which waits for the unit of such a registration. `DELETE_USER` has a condition of its own.
   *
   * @param user with the credentials to change
   */
  private stepsBeside(
    change: UserChange,
    user: FoundUser,
    furtherSteps: UserChangeContext['furtherSteps'],
    ofAll: ChangeOfAllKeys | undefined,
  ): NonNullable<UserChangeContext['furtherSteps']> {
    return (credentials) => [
      ...(furtherSteps?.(credentials) ?? []),
      ...(ofAll?.deletedKeys ?? []),
      ...(change === 'disable' || change === 'delete'
        ? [LOCK_USER_WITHOUT_OTHER_KEYS.mustChange(keysOf(user))]
        : []),
      ...(ofAll?.lockOut && change !== 'delete-user' ? [ofAll.lockOut.counting] : []),
    ];
  }

  private unit(change: UserChange, user: FoundUser, context: UnitContext): Step[] {
    const furtherSteps = context.furtherSteps?.(user.credentials.length) ?? [];
    const steps = isDeletion(change)
      ? this.deletion(change, user, context)
      : this.stateChange(change, user, context);
    return [...steps, ...furtherSteps];
  }

  private deletion(
    change: DeletionChange,
    user: FoundUser,
    { undoable, requiredName, lockOut, ...context }: UnitContext,
  ): Step[] {
    const facts = this.eventFacts(user, context);
    const whole = change === 'delete-user';
    const name = requiredName ?? user.username;
    const row = { ...scope(user.relyingParty), id: user.id, username: Buffer.from(name) };
    const events = [
      ...keyEvents('deleted', user.credentials, facts),
      ...(whole ? [{ ...facts, kind: 'user-deleted' as const }] : []),
    ];
    return [
      ...(requiredName === undefined || whole ? [] : [LOCK_USER_OF_NAME.mustChange(row)]),
      ...(whole ? endingSteps(user, { forGood: undoable === undefined }) : []),
      // The copy that an undo restores contains the number.
      ...(whole && undoable && lockOut ? [lockOut.counting] : []),
      ...(undoable ? copyingSteps(user, undoable, { at: facts.at, whole }) : []),
      ...deletionsOf(user),
      ...(whole ? [DELETE_USER.mustChange(row), ...this.lockOuts.moves.deleting(user, name)] : []),
      ...(events.length > 0 ? [ledgerStep(...events)] : []),
    ];
  }

  /** A key that is also disabled for the other reason stays disabled: such a change has no event. */
  private stateChange(change: StateChange, user: FoundUser, context: UserChangeContext): Step[] {
    const facts = this.eventFacts(user, context);
    const changes = stateChanges(change, user.credentials, context.by);
    const events = changes
      .filter(({ key, state }) => key.enabled !== isEnabled(state))
      .map(({ key: { credentialHash }, state }): LedgerEvent => ({
        ...facts,
        kind: isEnabled(state) ? 'enabled' : 'disabled',
        credentialHash,
      }));
    return [
      ...keyStateSteps(SET_KEY_STATE[this.database.kind], user.relyingParty, changes),
      ...(events.length > 0 ? [ledgerStep(...events)] : []),
    ];
  }

  /** The steps for keys of which the change begins or ends a report. */
  private async reportSteps(
    change: StateChange,
    user: FoundUser,
    { by }: UserChangeContext,
  ): Promise<Step[]> {
    const keys = stateChanges(change, user.credentials, by).flatMap(({ key, state }) => {
      const changed = { id: key.id, ...state, enabled: isEnabled(state) };
      return isReported(key) === isReported(changed) ? [] : [changed];
    });
    if (keys.length === 0) return [];
    const steps = await Promise.all(this.onReport.map((stepsOf) => stepsOf(user, keys)));
    return steps.flat();
  }

  private eventFacts({ id, username, relyingParty }: FoundUser, { requestId }: UserChangeContext) {
    return { at: this.clock.now(), relyingParty, user: { id, username }, requestId };
  }
}

/** Whether a change disables or deletes all keys of a user. */
export const isLockOut = (
  change: UserChange,
  { device }: Pick<UserChangeContext, 'device'>,
): boolean => !device && (change === 'disable' || isDeletion(change));

export const isDeletion = (change: UserChange): change is DeletionChange =>
  change === 'delete-user' || change === 'delete';

const withEnded = (entry: AuditEntry, lockOut: LockOut | undefined): AuditEntry =>
  lockOut ? { ...entry, detail: { ...entry.detail, ...endedDetail(lockOut.ended) } } : entry;

function deletionsOf({ relyingParty, credentials }: FoundUser): Step[] {
  return [true, false].flatMap((enabled) => {
    const ids = credentials.filter((one) => one.enabled === enabled).map(({ id }) => id);
    if (ids.length === 0) return [];
    return [DELETE_CREDENTIALS.mustChange({ ...scope(relyingParty), ids, enabled }, ids.length)];
  });
}

/** SQL has no empty list, so the user's own ID is used instead, which no credential has. */
const keysOf = ({ id: userId, relyingParty, credentialIds: ids }: FoundUser) => ({
  ...scope(relyingParty),
  userId,
  ids: ids.length > 0 ? ids : [userId],
});
