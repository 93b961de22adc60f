import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { Deletions } from '../../users/deletions/deletions.js';
import type { UndoableDeletion, KeptDeletion } from '../../users/deletions/deletion-steps.js';
import { LinkedUsers, type LinkedUser } from '../../users/moves/linked-users.js';
import { Pattern } from '../../users/search/pattern.js';
import { UsersByName } from '../../users/users-by-name.js';
import { addEnded, noneEnded } from '../../users/lock-outs.js';
import { UserChanges, isDeletion, type AppliedChange } from '../../users/user-changes.js';
import { keyName, type FoundCredential, type FoundUser } from '../../users/user-rows.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Permission } from '../../platform/access/permissions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { OPERATIONS, type UserOperation } from '../manage-users/operations.js';

/** The parameters of an action other than the user. */
interface ActionOccasion {
  /** The credential IDs of the keys to change, each in a unit of its own; absent for all keys at once. */
  readonly keys?: readonly string[] | undefined;
  readonly requestId: string;
  /** The relying party on whose page the action is. */
  readonly calledAt: RelyingParty;
  readonly undoable: UndoableDeletion;
  /** For a disabling that can be undone: its ID; for `undo-disable-all`: the ID of the disabling to undo. */
  readonly job?: string;
  /** Creates the audit row, which is stored with the change. */
  readonly audit: (user: FoundUser) => AuditEntry;
}

/** The buttons of the pages, by the value that their forms send. */
const ACTIONS = {
  'disable-key': OPERATIONS.disabledevice,
  'enable-key': OPERATIONS.enabledevice,
  'delete-key': OPERATIONS.deldevice,
  'disable-all': OPERATIONS.disableall,
  'enable-all': OPERATIONS.enableall,
  /** Undoes 'disable-all'; a key that a finding disables stays disabled. */
  'undo-disable-all': { ...OPERATIONS.enableall, change: 'lift' },
  'delete-user': OPERATIONS.deluser,
} as const satisfies Record<string, UserOperation>;

export type UserAction = keyof typeof ACTIONS;

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly UserAction[];

export const BULK_ACTIONS = [
  'disable-all',
  'enable-all',
  'undo-disable-all',
  'delete-user',
] as const;

/** The operation of an unchecked form; `undefined` if its action is unknown. */
export function actionIn(form: unknown): UserOperation | undefined {
  const action = isObject(form) ? form['action'] : undefined;
  return ACTION_NAMES.includes(action as UserAction) ? ACTIONS[action as UserAction] : undefined;
}

/** Whether the user's name, or the number of users, must be typed as confirmation. */
export const needsTypedConfirmation = (action: UserAction): boolean => action === 'delete-user';

/** Whether the action deletes rows, which can be restored for a day. */
export const isDeletingAction = (action: UserAction): boolean => isDeletion(ACTIONS[action].change);

/** Whether the action changes one key. */
export const isKeyAction = (action: UserAction): boolean =>
  (ACTIONS[action] as UserOperation).device === true;

export const permissionForForm = (form: unknown): Permission | undefined => actionIn(form)?.needs;

/** The ID of the user on a page, for its forms; empty if no user has the name. */
export const shownUser = ([user]: readonly Pick<FoundUser, 'id'>[]): string =>
  user?.id.toString('base64url') ?? '';

/** Makes the changes of `manageusers` for pages, which name users exactly. */
@Injectable()
export class UserActions {
  constructor(
    private readonly linked: LinkedUsers,
    private readonly changes: UserChanges,
    private readonly relyingParties: RelyingPartyCache,
    private readonly deletions: Deletions,
    private readonly users: UsersByName,
  ) {}

  /** User names that differ from this one only in case. */
  async alike(rp: RelyingParty, name: string): Promise<readonly string[]> {
    return (await this.users.alike(rp, [name])).get(name) ?? [];
  }

  /**
   * Finds the users of these names, and the same users at the predecessor. A change here is made there
   * too: a user locked out here could otherwise sign in with a key from there.
   */
  async everywhere(rp: RelyingParty, names: readonly string[]): Promise<LinkedUser[]> {
    return names.length === 0 ? [] : this.linked.find(rp, names.map(normalizeName));
  }

  /**
   * Finds the same users for one name. The caller must change these and not look the name up again, since another user
   * may have it a moment later.
   *
   * @param shown the result of `shownUser` for the form's page; absent for programs
   * @throws ApiError E0053R if another user has the name now
   */
  async asShown(rp: RelyingParty, name: string, shown: string | undefined): Promise<LinkedUser[]> {
    const found = await this.everywhere(rp, [name]);
    if (shown === undefined || shown === shownUser(found.map(({ user }) => user))) return found;
    throw new ApiError('E0053R', 'resource.changed');
  }

  /**
   * Finds deletions on pages that can be undone, here and at the predecessor: deletions of keys if the user exists,
   * otherwise of the user.
   */
  async deleted(
    rp: RelyingParty,
    name: string,
    users: readonly FoundUser[],
  ): Promise<KeptDeletion[]> {
    const found = this.relyingParties.current.withPredecessor(rp).map((place) => {
      const user = users.find(({ relyingParty }) => relyingParty.id.equals(place.id));
      return user ? this.deletions.ofUser(place, user.id) : this.deletions.ofName(place, name);
    });
    return (await Promise.all(found)).flat();
  }

  /** The relying party to which users of this one move. */
  successorOf(rp: RelyingParty): RelyingParty | undefined {
    return this.relyingParties.current.successorOf(rp);
  }

  /**
   * Changes a user, or some of the user's keys.
   *
   * @returns what changed; `undefined` if no change was necessary
   */
  async apply(
    action: UserAction,
    user: FoundUser,
    { keys, undoable, job, ...more }: ActionOccasion,
  ): Promise<AppliedChange | undefined> {
    const { change } = ACTIONS[action];
    const { account, reason } = undoable;
    const by = { account, reason, ...(job !== undefined && { job }) };
    const context = { ...more, undoable, by };
    if (keys === undefined) return this.changes.apply(change, user, context);
    const changed: FoundCredential[] = [];
    const ended = noneEnded();
    for (const key of keys) {
      const credentials = user.credentials.filter((credential) => keyName(credential) === key);
      // A credential ID contains no asterisk: as a pattern it matches only itself.
      const one = { ...context, device: new Pattern(key) };
      const applied = await this.changes.apply(change, { ...user, credentials }, one);
      if (!applied) continue;
      changed.push(...applied.credentials);
      addEnded(ended, applied);
    }
    return changed.length === 0 ? undefined : { credentials: changed, ended };
  }
}
