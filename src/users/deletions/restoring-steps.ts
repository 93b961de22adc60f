import type { DatabaseKind } from '../../platform/database/entities/table.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { keyEvents, ledgerStep, type LedgerEvent } from '../../events/ledger.js';
import { MAX_CREDENTIALS } from '../credentials/credential.entity.js';
import { freeKeyName, type LabelledKey } from '../credentials/key-label.js';
import { wordSteps } from '../search/search-word-steps.js';
import type { Deletion } from './deletion.entity.js';
import {
  END_DELETION,
  LOCK_DELETED_KEYS,
  LOCK_DELETION,
  NAME_DELETED_KEY,
  RESTORE_ATTESTATIONS,
  RESTORE_GROUPS,
  RESTORE_HANDLES,
  RESTORE_KEYS,
  RESTORE_NAMES,
  RESTORE_USER,
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

interface RestorationContext {
  readonly kind: DatabaseKind;
  readonly at: number;
  /** Milliseconds since 1970: earlier deletions can no longer be undone. */
  readonly since: number;
  readonly requestId: string;
  /** The keys that the user has now. */
  readonly others: readonly Pick<LabelledKey, 'deviceName'>[];
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
    ...(keys.length > 0 ? restoringKeys(deletion, occasion) : []),
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

function restoringKeys(
  { id, relyingParty, keys }: KeptDeletion,
  { others }: RestorationContext,
): Step[] {
  const its = { ...scope(relyingParty), id };
  const fewerThan = MAX_CREDENTIALS - keys.length + 1;
  // They may have been disabled or enabled since they were read.
  const asRead = [true, false].flatMap((enabled) => {
    const rows = keys.filter((one) => one.enabled === enabled).length;
    return rows > 0 ? [LOCK_DELETED_KEYS.mustChange({ ...its, enabled }, rows)] : [];
  });
  const names = others.map(({ deviceName }) => ({ deviceName }));
  // Another key may have been given the name since.
  const renamed = keys.flatMap(({ credentialHash, deviceName: former }) => {
    const deviceName = freeKeyName(former, names);
    names.push({ deviceName });
    if (deviceName === former) return [];
    return [NAME_DELETED_KEY.mustChange({ ...its, credentialHash, deviceName })];
  });
  return [
    ...asRead,
    ...renamed,
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
