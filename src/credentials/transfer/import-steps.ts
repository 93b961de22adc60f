import { fewRandomBytes } from '../../common/random.js';
import { newId } from '../../database/columns.js';
import type { DatabaseKind } from '../../database/columns.js';
import type { Step, Value } from '../../database/commit/unit.js';
import { scopeParams } from '../../database/scope.js';
import { ledgerStep } from '../../ledger/ledger.js';
import type { LedgerEvent } from '../../ledger/ledger.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { foldedName } from '../../validation/folded-name.js';
import { attestationRow } from '../attestations/attestations.js';
import { insertAttestations } from '../attestations/attestation.statements.js';
import { credentialHashOf } from '../credential-reader.js';
import { MAX_CREDENTIALS } from '../credential-writer.js';
import {
  INSERT_CREDENTIAL_OF_USER,
  KEPT,
  insertCredentials,
  insertHandles,
  insertUsers,
} from './transfer.statements.js';
import { wordSteps } from '../search/word-steps.js';
import { USER_HANDLE_BYTES } from '../user.entity.js';
import { ownHandleOf } from './transferred.js';
import type { TransferredKey, TransferredUser } from './transferred.js';
import type { KnownUser } from './stock.js';

/** What is to be stored of one user of a file. */
export interface Addition {
  readonly user: TransferredUser;
  readonly known: KnownUser;
  /** Further handles that the user does not have yet. */
  readonly handles: readonly Buffer[];
  readonly keys: readonly TransferredKey[];
}

interface Occasion {
  readonly kind: DatabaseKind;
  readonly rp: RelyingParty;
  readonly at: number;
  readonly requestId: string;
}

/** How many rows one statement stores: few sizes, so that there are few different texts to prepare. */
const SIZES = [64, 8, 1];

/**
 * The statements that store a batch: users, their further handles, their credentials and an event for each
 * user and credential. A user who exists already gets keys only if still there and with room for them.
 */
export function importSteps(occasion: Occasion, additions: readonly Addition[]): Step[] {
  const scope = scopeParams(occasion.rp);
  const fresh = additions.filter(({ known }) => known.isNew);
  const handles = additions.flatMap(({ known, handles: more }) =>
    more.map((handle) => [...scope, known.id, handle]),
  );
  const keysOf = (some: readonly Addition[]) =>
    some.flatMap(({ known, keys }) => keys.map((key) => ({ known, values: credentialRow(key) })));
  const [ofNew, ofOthers] = [keysOf(fresh), keysOf(additions.filter(({ known }) => !known.isNew))];
  const proved = [...ofNew, ...ofOthers].flatMap(({ values: { id, kept } }) =>
    kept ? [attestationRow(occasion.rp, id, kept)] : [],
  );
  return [
    ...inStatements(
      insertUsers,
      fresh.map(({ known, user }) => userRow(scope, known, user)),
    ),
    ...wordSteps(
      occasion.kind,
      fresh.map(({ known: { id }, user }) => ({ ...user, id, relyingParty: occasion.rp })),
    ),
    ...inStatements(insertHandles, handles),
    ...inStatements(
      insertCredentials,
      ofNew.map(({ known, values: { row } }) => [...scope, known.id, ...row]),
    ),
    ...ofOthers.map(({ known, values: { row } }) => ({
      sql: INSERT_CREDENTIAL_OF_USER,
      params: [...row, ...scope, known.id, MAX_CREDENTIALS],
      guard: true,
    })),
    ...inStatements(insertAttestations, proved),
    ...inParts(eventsOf(occasion, additions)).map((events) => ledgerStep(...events)),
  ];
}

function userRow(scope: readonly Value[], { id }: KnownUser, user: TransferredUser): Value[] {
  const handle = ownHandleOf(user) ?? fewRandomBytes(USER_HANDLE_BYTES);
  const subject = user.subject === undefined ? null : Buffer.from(user.subject, 'utf8');
  const name = Buffer.from(user.username, 'utf8');
  const row = [...scope, id, name, user.displayName, handle, subject, user.createdAt];
  return [...row, ...scope.slice(0, 1), Buffer.from(foldedName(user.username), 'utf8')];
}

/** The row of a credential, and the attestation that goes into a row of its own. */
function credentialRow({ kept, ...key }: TransferredKey) {
  const row = {
    ...key,
    userVerified: bit(key.userVerified),
    backupEligible: optionalBit(key.backupEligible),
    backedUp: bit(key.backedUp),
    enabled: bit(key.enabled),
    attestationAsked: optionalBit(key.attestationAsked),
    residentKey: optionalBit(key.residentKey),
  };
  const id = newId();
  // No ceremony here wrote the row: a random value stands for it.
  const ceremony = newId();
  const values = KEPT.map((name) => row[name]);
  return { id, kept, row: [id, credentialHashOf(key.credentialId), ceremony, 0, ...values] };
}

const optionalBit = (flag: boolean | null): number | null => (flag === null ? null : bit(flag));

const bit = (flag: boolean): number => (flag ? 1 : 0);

function eventsOf({ rp, at, requestId }: Occasion, additions: readonly Addition[]): LedgerEvent[] {
  return additions.flatMap(({ known: { id, isNew }, user: { username }, keys }) => {
    const told = { at, requestId, relyingParty: rp, user: { id, username } };
    const imported = keys.map(({ credentialId, enabled }): LedgerEvent => ({
      ...told,
      kind: 'imported',
      detail: enabled ? 'enabled' : 'disabled',
      credentialHash: credentialHashOf(credentialId),
    }));
    return isNew ? [{ ...told, kind: 'user-created' as const }, ...imported] : imported;
  });
}

function inStatements(
  sqlFor: (rows: readonly unknown[]) => string,
  rows: readonly Value[][],
): Step[] {
  return inParts(rows).map((part) => ({ sql: sqlFor(part), params: part.flat() }));
}

function inParts<T>(rows: readonly T[]): T[][] {
  const parts: T[][] = [];
  let at = 0;
  for (const size of SIZES) {
    for (; at + size <= rows.length; at += size) parts.push(rows.slice(at, at + size));
  }
  return parts;
}
