import { newId } from '../../platform/database/row-ids.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { keyEvents, ledgerStep } from '../../events/ledger.js';
import { DELETE_CREDENTIALS } from '../credentials/key-state.statements.js';
import { DELETE_USER, LOCK_USER_OF_NAME } from '../user-change.statements.js';
import type { FoundUser } from '../user-rows.js';
import {
  COPY_GROUPS,
  COPY_HANDLES,
  COPY_KEYS,
  COPY_NAMES,
  END_DELETIONS_OF_NAME,
  END_DELETIONS_OF_USER,
  INSERT_DELETION,
  type NameParams,
} from './deletion.statements.js';

/** Who deletes on a page, and why. Deletions of one occasion can be undone together. */
export interface UndoableDeletion {
  readonly account: string;
  readonly reason?: string | undefined;
  /** ID of the request or the list that deletes. */
  readonly occasion: string;
}

interface DeletionContext {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly requestId: string;
  /** The deletion can be undone for a day. Without it, no copy is stored. */
  readonly undoable?: UndoableDeletion | undefined;
  /** The name that the user must still have. */
  readonly requiredName?: string | undefined;
}

/**
 * The steps that delete a user with all keys. Their unit fails if the user has another name or a further key.
 *
 * @param requiredName the found name by default
 */
export function userDeletion(
  user: FoundUser,
  { undoable, requiredName = user.username, ...context }: DeletionContext,
): Step[] {
  const facts = eventFacts(user, context);
  const row = { ...scope(user.relyingParty), id: user.id, username: Buffer.from(requiredName) };
  return [
    ...endingSteps(user, { forGood: undoable === undefined }),
    ...(undoable ? copyingSteps(user, undoable, { at: facts.at, whole: true }) : []),
    ...rowDeletions(user),
    DELETE_USER.mustChange(row),
    ledgerStep(...keyEvents('deleted', user.credentials, facts), {
      ...facts,
      kind: 'user-deleted',
    }),
  ];
}

/** The steps that delete keys of a user, who remains. Their unit fails if one of the keys has changed. */
export function keyDeletion(
  user: FoundUser,
  { undoable, requiredName, ...context }: DeletionContext,
): Step[] {
  const facts = eventFacts(user, context);
  const events = keyEvents('deleted', user.credentials, facts);
  const named = {
    ...scope(user.relyingParty),
    id: user.id,
    username: Buffer.from(requiredName ?? ''),
  };
  return [
    ...(requiredName === undefined ? [] : [LOCK_USER_OF_NAME.mustChange(named)]),
    ...(undoable ? copyingSteps(user, undoable, { at: facts.at, whole: false }) : []),
    ...rowDeletions(user),
    ...(events.length > 0 ? [ledgerStep(...events)] : []),
  ];
}

/**
 * The steps that end earlier deletions of users of this name, before this user is deleted or renamed. They cannot be
 * undone, since this user has had the name after them. A permanent deletion also ends the deletions of the user's own
 * keys.
 */
export function endingSteps(
  { id, username, relyingParty }: Pick<FoundUser, 'id' | 'username' | 'relyingParty'>,
  { forGood }: { readonly forGood: boolean },
): Step[] {
  const its = scope(relyingParty);
  return [
    END_DELETIONS_OF_NAME.step({ ...its, ...nameParams(relyingParty, username) }),
    ...(forGood ? [END_DELETIONS_OF_USER.step({ ...its, userId: id })] : []),
  ];
}

/** Parameters of statements that search by name. */
export const nameParams = (rp: RelyingParty, name: string): NameParams => ({
  foldedName: Buffer.from(foldedName(name)),
  username: Buffer.from(name),
  ignoresCase: ignoresCase(rp),
});

/** Stores copies of the keys, and of the user if the user is deleted too. */
function copyingSteps(
  user: FoundUser,
  { account, reason, occasion }: UndoableDeletion,
  { at, whole }: { readonly at: number; readonly whole: boolean },
): Step[] {
  const { id: userId, relyingParty, credentials } = user;
  const deletionId = newId(at);
  const ids = credentials.map((credential) => credential.id);
  const ofUser = { ...scope(relyingParty), deletionId, userId };
  return [
    INSERT_DELETION.step({
      ...scope(relyingParty),
      id: deletionId,
      userId,
      foldedName: Buffer.from(foldedName(user.username)),
      whole,
      at,
      account: Buffer.from(account),
      reason: reason ?? null,
      occasion,
    }),
    ...(ids.length > 0 ? [COPY_KEYS.step({ ...scope(relyingParty), deletionId, ids })] : []),
    ...(whole
      ? [COPY_HANDLES.step(ofUser), COPY_NAMES.step(ofUser), COPY_GROUPS.step(ofUser)]
      : []),
  ];
}

/** Invoices depend on the state that a deleted key had. */
function rowDeletions({ relyingParty, credentials }: FoundUser): Step[] {
  return [true, false].flatMap((enabled) => {
    const ids = credentials.filter((one) => one.enabled === enabled).map(({ id }) => id);
    if (ids.length === 0) return [];
    return [DELETE_CREDENTIALS.mustChange({ ...scope(relyingParty), ids, enabled }, ids.length)];
  });
}

const eventFacts = (
  { id, username, relyingParty }: FoundUser,
  { at, requestId }: Pick<DeletionContext, 'at' | 'requestId'>,
) => ({ at, relyingParty, user: { id, username }, requestId });
