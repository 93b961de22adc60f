import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { BEGINNING, distinctBytes, mapKey } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { Attestations } from '../attestations/attestations.js';
import { proofOf, type SignedEvidence } from '../attestations/evidence.js';
import { groupsOfUsers } from '../groups/groups-of-users.js';
import type { ExportedKey, ExportedUser } from './transferred.js';
import {
  FURTHER_HANDLES_OF,
  USERS_TO_EXPORT,
  type ExportedKeyRow,
  type ExportRow,
} from './transfer.statements.js';

/** Other requests have their turn between statements. */
const USERS_PER_STATEMENT = 200;

/**
 * All users of a relying party with their credentials, in the order of their creation, which no rename changes. One
 * statement reads a slice, so that the data of a user is consistent; different slices are read at different times.
 */
@Injectable()
export class ExportReader {
  constructor(
    private readonly database: Database,
    private readonly attestations: Attestations,
  ) {}

  /** Each slice is read when it is requested. */
  async *of(rp: RelyingParty): AsyncGenerator<readonly ExportedUser[]> {
    let at: { createdAt: number; id: Buffer } = { createdAt: -1, id: BEGINNING };
    for (;;) {
      const rows = await this.rowsAfter(rp, at);
      const last = rows.at(-1);
      if (!last) return;
      const [handles, groups, proofs] = await Promise.all([
        this.furtherHandles(rp, rows),
        groupsOfUsers(this.database, rp, distinctBytes(rows.map(({ userId }) => userId))),
        this.proofs(rp, rows),
      ]);
      yield usersOf(rows, { handles, groups, proofs });
      at = { createdAt: last.createdAt, id: last.userId };
    }
  }

  private async rowsAfter(rp: RelyingParty, at: { createdAt: number; id: Buffer }) {
    const { createdAt, id } = at;
    const slice = { relyingPartyId: rp.id, createdAt, limit: USERS_PER_STATEMENT };
    const same = await this.database.query(USERS_TO_EXPORT.same, { ...slice, id });
    return same.length > 0 ? same : this.database.query(USERS_TO_EXPORT.later, slice);
  }

  /** Further handles of users, by the user's ID in Latin-1. */
  private async furtherHandles(rp: RelyingParty, rows: readonly ExportRow[]) {
    const userIds = distinctBytes(rows.map(({ userId }) => userId));
    const found = await this.database.query(FURTHER_HANDLES_OF, { ...scope(rp), userIds });
    return groupedByUser(found);
  }

  /** The signed bytes of registrations, by the ID of the credential's row in Latin-1. */
  private async proofs(rp: RelyingParty, rows: readonly ExportRow[]) {
    const keys = rows.filter(hasKey);
    const byId = new Map(keys.map((row) => [mapKey(row.id), row]));
    const found = await this.attestations.of(
      rp,
      keys.map(({ id }) => id),
    );
    return new Map(
      found.flatMap(({ id, kept, shared }) => {
        const row = byId.get(mapKey(id));
        return row ? [[mapKey(id), proofOf(kept, row, shared)]] : [];
      }),
    );
  }
}

const groupedByUser = <T extends { readonly userId: Buffer }>(rows: readonly T[]) =>
  Map.groupBy(rows, ({ userId }) => mapKey(userId));

interface FactsOfSlice {
  /** Further handles and groups by the user's ID, proofs by the ID of the credential's row (`mapKey`). */
  readonly handles: ReadonlyMap<string, readonly { readonly handle: Buffer }[]>;
  readonly groups: ReadonlyMap<string, readonly string[]>;
  readonly proofs: ReadonlyMap<string, SignedEvidence>;
}

function usersOf(
  rows: readonly ExportRow[],
  { handles: further, groups, proofs }: FactsOfSlice,
): ExportedUser[] {
  return [...groupedByUser(rows)].map(([id, ofUser]) => {
    const { username, displayName, subject, userHandle, createdAt, suspendedBy } =
      ofUser[0] as ExportRow;
    const others = (further.get(id) ?? []).map(({ handle }) => handle);
    return {
      username: username.toString('utf8'),
      displayName,
      subject: subject?.toString('utf8'),
      handles: [userHandle, ...others],
      createdAt,
      isSuspended: suspendedBy !== null,
      groups: groups.get(id) ?? [],
      keys: ofUser
        .filter(hasKey)
        .map((row) => ({ ...keyOfRow(row), proof: proofs.get(mapKey(row.id)) })),
    };
  });
}

const hasKey = (row: ExportRow): row is ExportedKeyRow => row.id !== null;

/** SQLite and MySQL return booleans as numbers. */
const keyOfRow = (row: ExportedKeyRow): Omit<ExportedKey, 'proof'> => ({
  ...row,
  attestationTrusted: Boolean(row.attestationTrusted),
  userVerified: Boolean(row.userVerified),
  uvInitialized: Boolean(row.uvInitialized),
  madeUnderAuthority: Boolean(row.madeUnderAuthority),
  backupEligible: optionalFlag(row.backupEligible),
  backedUp: Boolean(row.backedUp),
  enabled: Boolean(row.enabled),
  attestationAsked: optionalFlag(row.attestationAsked),
  residentKey: optionalFlag(row.residentKey),
});

const optionalFlag = (flag: number | null): boolean | null =>
  flag === null ? null : Boolean(flag);
