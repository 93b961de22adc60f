import type { DatabaseKind } from '../../platform/database/columns.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import { ledgerStep } from '../../events/ledger.js';
import type { LedgerEvent } from '../../events/ledger.js';
import { MAX_CREDENTIALS } from '../credentials/credential-writer.js';
import { wordSteps } from '../search/search-word-steps.js';
import {
  END_DELETION,
  RESTORE_ATTESTATIONS,
  RESTORE_HANDLES,
  RESTORE_KEYS,
  RESTORE_NAMES,
  RESTORE_USER,
  TAKE_BACK,
} from './deletion.statements.js';
import type { KeptDeletion } from './keeping.js';

interface Occasion {
  readonly kind: DatabaseKind;
  readonly at: number;
  /** Milliseconds since 1970: deletions made until then cannot be taken back any more. */
  readonly since: number;
  readonly requestId: string;
}

/**
 * The unit that takes a deletion back. The user keeps the ID, so that a user who was active this
 * month still counts once; the events say that users and keys exist again, not that somebody registered.
 */
export function restoringSteps(deletion: KeptDeletion, occasion: Occasion): Step[] {
  const { id, relyingParty, userId, whole, keys } = deletion;
  const its = { ...scope(relyingParty), id };
  const named = { ...deletion, id: userId };
  return [
    TAKE_BACK.guard({ ...its, since: occasion.since }),
    ...(whole ? [RESTORE_USER.guard(its)] : []),
    ...(keys.length > 0 ? restoringKeys(deletion) : []),
    ...(whole
      ? [RESTORE_HANDLES.step(its), RESTORE_NAMES.step(its), ...wordSteps(occasion.kind, [named])]
      : []),
    ledgerStep(...eventsOf(deletion, occasion)),
    END_DELETION.guard(its),
  ];
}

function restoringKeys({ id, relyingParty, keys }: KeptDeletion): Step[] {
  const its = { ...scope(relyingParty), id };
  const cap = MAX_CREDENTIALS - keys.length + 1;
  return [RESTORE_KEYS.guard({ ...its, cap }, keys.length), RESTORE_ATTESTATIONS.step(its)];
}

/** The same events as for an import: users and keys that exist without a registration here. */
function eventsOf(
  { relyingParty, userId, username, whole, keys }: KeptDeletion,
  { at, requestId }: Occasion,
): LedgerEvent[] {
  const told = { at, requestId, relyingParty, user: { id: userId, username } };
  const back = keys.map(({ credentialHash, enabled }): LedgerEvent => ({
    ...told,
    kind: 'imported',
    detail: enabled ? 'enabled' : 'disabled',
    credentialHash,
  }));
  return whole ? [{ ...told, kind: 'user-created' }, ...back] : back;
}
