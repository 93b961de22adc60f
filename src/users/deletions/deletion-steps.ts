import type { DatabaseKind } from '../../platform/database/entities/table.js';
import { newId } from '../../platform/database/row-ids.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import type { LabelledKey } from '../credentials/key-label.js';
import type { FoundUser } from '../user-rows.js';
import { keyEvents, ledgerStep, type LedgerEvent } from '../../events/ledger.js';
import { MAX_CREDENTIALS } from '../credentials/credential.entity.js';
import { wordSteps } from '../search/search-word-steps.js';
import type { Deletion } from './deletion.entity.js';
import {
  END_DELETION,
  END_DELETIONS_OF_NAME,
  END_DELETIONS_OF_USER,
  INSERT_DELETION,
  COPY_HANDLES,
  COPY_KEYS,
  COPY_GROUPS,
  COPY_NAMES,
  RESTORE_ATTESTATIONS,
  RESTORE_HANDLES,
  RESTORE_KEYS,
  RESTORE_GROUPS,
  RESTORE_NAMES,
  RESTORE_USER,
  LOCK_DELETED_KEYS,
  LOCK_DELETION,
  type NameParams,
} from './deletion.statements.js';

export interface KeptKey extends LabelledKey {
  readonly credentialHash: Buffer;
  readonly enabled: boolean;
}

/** A deletion that can be undone. Times are milliseconds since 1970. */
export interface KeptDeletion
  extends
    Readonly<Pick<Deletion, 'id' | 'userId' | 'username' | 'displayName' | 'whole' | 'at'>>,
    Readonly<Pick<Deletion, 'account' | 'reason' | 'occasion'>> {
  readonly relyingParty: RelyingParty;
  readonly until: number;
  readonly keys: readonly KeptKey[];
}

/** Who deletes on a page, and why. Deletions of one occasion can be undone together. */
export interface UndoableDeletion {
  readonly account: string;
  readonly reason?: string | undefined;
  /** ID of the request or the list that deletes. */
  readonly occasion: string;
}

/**
 * The steps that store copies, so that a deletion of a user or of some keys can be undone. They precede
 * the deletion in the same unit.
 *
 * @param user with the keys to delete
 * @param whole whether the user is deleted too
 */
export function copyingSteps(
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

interface RestorationContext {
  readonly kind: DatabaseKind;
  readonly at: number;
  /** Milliseconds since 1970: earlier deletions can no longer be undone. */
  readonly since: number;
  readonly requestId: string;
}

/**
 * The unit that undoes a deletion. The user keeps the ID, so that a user who was active this month still counts
 * once. The events report that users and keys exist again, not that they were registered.
 */
export function restoringSteps(deletion: KeptDeletion, occasion: RestorationContext): Step[] {
  const { id, relyingParty, userId, whole, keys } = deletion;
  const its = { ...scope(relyingParty), id };
  const named = { ...deletion, id: userId };
  return [
    LOCK_DELETION.mustChange({ ...its, since: occasion.since }),
    ...(whole ? [RESTORE_USER.mustChange(its)] : []),
    ...(keys.length > 0 ? restoringKeys(deletion) : []),
    ...(whole
      ? [
          RESTORE_HANDLES.step(its),
          RESTORE_NAMES.step(its),
          RESTORE_GROUPS.step(its),
          ...wordSteps(occasion.kind, [named]),
        ]
      : []),
    ledgerStep(...eventsOf(deletion, occasion)),
    END_DELETION.mustChange(its),
  ];
}

function restoringKeys({ id, relyingParty, keys }: KeptDeletion): Step[] {
  const its = { ...scope(relyingParty), id };
  const fewerThan = MAX_CREDENTIALS - keys.length + 1;
  // They may have been disabled or enabled since they were read.
  const asRead = [true, false].flatMap((enabled) => {
    const rows = keys.filter((one) => one.enabled === enabled).length;
    return rows > 0 ? [LOCK_DELETED_KEYS.mustChange({ ...its, enabled }, rows)] : [];
  });
  return [
    ...asRead,
    RESTORE_KEYS.mustChange({ ...its, fewerThan }, keys.length),
    RESTORE_ATTESTATIONS.step(its),
  ];
}

/** The same events as for an import: users and keys that exist without a registration here. */
function eventsOf(
  { relyingParty, userId, username, whole, keys }: KeptDeletion,
  { at, requestId }: RestorationContext,
): LedgerEvent[] {
  const facts = { at, requestId, relyingParty, user: { id: userId, username } };
  const ofKeys = keyEvents('imported', keys, facts);
  return whole ? [{ ...facts, kind: 'user-created', detail: 'restored' }, ...ofKeys] : ofKeys;
}
