import type { AuditEntry } from '../../audit/audit-entry.js';
import type { UndoableDeletion } from '../../users/deletions/deletion-steps.js';
import { Pattern } from '../../users/search/pattern.js';
import { addEnded, noneEnded } from '../../users/lock-outs.js';
import { isDeletion, type AppliedChange, type UserChanges } from '../../users/user-changes.js';
import { credentialIdText, type FoundCredential, type FoundUser } from '../../users/user-rows.js';
import type { Permission } from '../../platform/access/permissions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { isObject } from '../../platform/validation/field-validator.js';
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
const BUTTONS = {
  'disable-key': OPERATIONS.disabledevice,
  'enable-key': OPERATIONS.enabledevice,
  'delete-key': OPERATIONS.deldevice,
  'disable-all': OPERATIONS.disableall,
  'enable-all': OPERATIONS.enableall,
  /** Undoes 'disable-all'; a key that a finding disables stays disabled. */
  'undo-disable-all': { ...OPERATIONS.enableall, change: 'lift' },
  'delete-user': OPERATIONS.deluser,
} as const satisfies Record<string, UserOperation>;

export type UserAction = keyof typeof BUTTONS;

export const ACTION_NAMES = Object.keys(BUTTONS) as readonly UserAction[];

export const BULK_ACTIONS = [
  'disable-all',
  'enable-all',
  'undo-disable-all',
  'delete-user',
] as const;

/** The operation of an unchecked form; `undefined` if its action is unknown. */
export function actionIn(form: unknown): UserOperation | undefined {
  const action = isObject(form) ? form['action'] : undefined;
  return ACTION_NAMES.includes(action as UserAction) ? BUTTONS[action as UserAction] : undefined;
}

/** Whether the user's name, or the number of users, must be typed as confirmation. */
export const needsTypedConfirmation = (action: UserAction): boolean => action === 'delete-user';

/** Whether the action deletes rows, which can be restored for a day. */
export const isDeletingAction = (action: UserAction): boolean => isDeletion(BUTTONS[action].change);

/** Whether the action changes one key. */
export const isKeyAction = (action: UserAction): boolean =>
  (BUTTONS[action] as UserOperation).device === true;

export const permissionForForm = (form: unknown): Permission | undefined => actionIn(form)?.needs;

/**
 * Makes a change of `manageusers` for a page: changes a user, or some of the user's keys.
 *
 * @returns what changed; `undefined` if no change was necessary
 */
export async function applyAction(
  changes: UserChanges,
  action: UserAction,
  user: FoundUser,
  { keys, undoable, job, ...more }: ActionOccasion,
): Promise<AppliedChange | undefined> {
  const { change: kind } = BUTTONS[action];
  const { account, reason } = undoable;
  const by = { account, reason, ...(job !== undefined && { job }) };
  const change = isDeletion(kind) ? { kind, undoable } : { kind, by };
  if (keys === undefined) return changes.apply(change, user, more);
  const changed: FoundCredential[] = [];
  const ended = noneEnded();
  for (const key of keys) {
    const credentials = user.credentials.filter(
      (credential) => credentialIdText(credential) === key,
    );
    // A credential ID contains no asterisk: as a pattern it matches only itself.
    const one = { ...more, device: new Pattern(key) };
    const applied = await changes.apply(change, { ...user, credentials }, one);
    if (!applied) continue;
    changed.push(...applied.credentials);
    addEnded(ended, applied);
  }
  return changed.length === 0 ? undefined : { credentials: changed, ended };
}
