import { pooledRandomBytes } from '../../platform/common/random.js';
import { inFewSizes } from '../../platform/common/split-into-parts.js';
import type { DatabaseKind } from '../../platform/database/entities/table.js';
import { newId } from '../../platform/database/row-ids.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import { keyEvents, ledgerStep, type LedgerEvent } from '../../events/ledger.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { attestationRow } from '../attestations/attestations.js';
import { KEEP_ATTESTATIONS } from '../attestations/attestation.statements.js';
import { credentialHashOf } from '../credentials/credential-reader.js';
import { MAX_CREDENTIALS } from '../credentials/credential.entity.js';
import { disablingText } from '../credentials/key-state.js';
import { newUserRow } from '../credentials/registration-writer.js';
import { addingGroups } from '../groups/group-steps.js';
import { wordSteps } from '../search/search-word-steps.js';
import { SIDES, type HelpDeskSuspension } from '../suspension/suspension.js';
import { USER_HANDLE_BYTES } from '../user.entity.js';
import {
  INSERT_CREDENTIALS,
  INSERT_CREDENTIAL_OF_USER,
  INSERT_HANDLES,
  INSERT_USERS,
} from './transfer.statements.js';
import { ownHandleOf, type TransferredKey, type TransferredUser } from './transferred.js';
import type { UserToImport } from './import-plan.js';

interface ImportContext {
  readonly kind: DatabaseKind;
  readonly rp: RelyingParty;
  readonly at: number;
  readonly requestId: string;
}

/**
 * The statements that store a part of an import: users, their further handles, their credentials and an event for each
 * user and credential. An existing user receives keys only if it still exists and has room for them.
 */
export function importSteps(context: ImportContext, additions: readonly UserToImport[]): Step[] {
  const owner = scope(context.rp);
  const fresh = additions.filter(({ known }) => known.isNew);
  const handles = additions.flatMap(({ known, handles: more }) =>
    more.map((handle) => ({ userId: known.id, handle })),
  );
  const keysOf = (some: readonly UserToImport[]) =>
    some.flatMap(({ known, keys }) => keys.map((key) => credentialRow(context.at, known.id, key)));
  const ofNew = keysOf(fresh);
  const ofOthers = keysOf(additions.filter(({ known }) => !known.isNew));
  const proved = [...ofNew, ...ofOthers].flatMap(({ row, kept }) =>
    kept ? [attestationRow(context.rp, row.id, kept)] : [],
  );
  const newUsers = fresh.map(({ known: { id }, user }) => {
    const userHandle = ownHandleOf(user) ?? pooledRandomBytes(USER_HANDLE_BYTES);
    return newUserRow({ ...user, id, userHandle, ...suspensionOf(user, context.at) });
  });
  const newKeys = ofNew.map(({ row }) => row);
  return [
    ...inFewSizes(newUsers).map((rows) => INSERT_USERS.step({ ...owner, rows })),
    ...wordSteps(
      context.kind,
      fresh.map(({ known: { id }, user }) => ({ ...user, id, relyingParty: context.rp })),
    ),
    ...addingGroups(
      context.rp,
      fresh.map(({ known: { id }, user: { groups } }) => ({ id, groups })),
    ),
    ...inFewSizes(handles).map((rows) => INSERT_HANDLES.step({ ...owner, rows })),
    ...inFewSizes(newKeys).map((rows) => INSERT_CREDENTIALS.step({ ...owner, rows })),
    ...ofOthers.map(({ row }) =>
      INSERT_CREDENTIAL_OF_USER.mustChange({ ...owner, ...row, maxCredentials: MAX_CREDENTIALS }),
    ),
    ...inFewSizes(proved).map((rows) => KEEP_ATTESTATIONS.step({ rows })),
    ...inFewSizes(eventsOf(context, additions)).map((events) => ledgerStep(...events)),
  ];
}

function suspensionOf({ isSuspended }: TransferredUser, at: number) {
  if (!isSuspended) return { suspendedBy: null, suspensionJson: null };
  const suspension: HelpDeskSuspension = { at };
  return { suspendedBy: SIDES.helpDesk, suspensionJson: JSON.stringify(suspension) };
}

/** The key is added at the time of the import; `registeredAt` is of the server from which it comes. */
const credentialRow = (at: number, userId: Buffer, { kept, ...key }: TransferredKey) => ({
  kept,
  row: {
    ...key,
    userId,
    id: newId(at),
    addedAt: at,
    credentialHash: credentialHashOf(key.credentialId),
    // No ceremony here wrote the row, so a random value is stored.
    lastCeremony: newId(),
    // The attestation was trusted elsewhere, not here.
    attestationTrusted: false,
    origin: 'import',
    disablingJson: key.enabled ? null : disablingText({ cause: 'import' }),
  },
});

function eventsOf(
  { rp, at, requestId }: ImportContext,
  additions: readonly UserToImport[],
): LedgerEvent[] {
  return additions.flatMap(({ known: { id, isNew }, user: { username, isSuspended }, keys }) => {
    const facts = { at, requestId, relyingParty: rp, user: { id, username } };
    const hashed = keys.map((key) => ({
      ...key,
      credentialHash: credentialHashOf(key.credentialId),
    }));
    const ofKeys = keyEvents('imported', hashed, facts);
    if (!isNew) return ofKeys;
    return [
      { ...facts, kind: 'user-created' as const },
      ...(isSuspended ? [{ ...facts, kind: 'user-suspended' as const, detail: 'helpDesk' }] : []),
      ...ofKeys,
    ];
  });
}
