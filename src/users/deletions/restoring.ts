import type { DatabaseKind } from '../../platform/database/columns.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scopeParams } from '../../platform/database/scope.js';
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
  const scope = scopeParams(relyingParty);
  const its = [...scope, id];
  const named = { ...deletion, id: userId };
  return [
    { sql: TAKE_BACK, params: [...its, occasion.since], guard: true },
    ...(whole ? [{ sql: RESTORE_USER, params: its, guard: true }] : []),
    ...(keys.length > 0 ? restoringKeys(deletion) : []),
    ...(whole
      ? [
          { sql: RESTORE_HANDLES, params: its },
          { sql: RESTORE_NAMES, params: its },
          ...wordSteps(occasion.kind, [named]),
        ]
      : []),
    ledgerStep(...eventsOf(deletion, occasion)),
    { sql: END_DELETION, params: its, guard: true },
  ];
}

function restoringKeys({ id, relyingParty, keys }: KeptDeletion): Step[] {
  const its = [...scopeParams(relyingParty), id];
  const room = MAX_CREDENTIALS - keys.length + 1;
  return [
    { sql: RESTORE_KEYS, params: [...its, room], guard: keys.length },
    { sql: RESTORE_ATTESTATIONS, params: its },
  ];
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
