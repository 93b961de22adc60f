import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Query } from '../../database/database.js';
import { padded } from '../../database/padded.js';
import { scopeParams } from '../../database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { ExportedKey, ExportedUser } from './transferred.js';
import { USERS_TO_EXPORT, furtherHandlesOf } from './transfer.statements.js';

/** Users of one page: what they hold is read together, and others have their turn between pages. */
const PAGE = 200;

/** A user joined with one credential, or with none. */
type Row = Omit<ExportedKey, 'backupEligible'> & {
  readonly userId: Buffer;
  readonly username: Buffer;
  readonly displayName: string;
  readonly userHandle: Buffer;
  readonly subject: Buffer | null;
  readonly createdAt: number;
  readonly id: Buffer | null;
  readonly backupEligible: boolean | null;
};

/**
 * All users of a relying party with their credentials, in the order of their names' bytes. A page is read
 * by one statement, so that each user is as it was at one moment; the whole is of no single moment.
 */
@Injectable()
export class ExportPages {
  private readonly users: Query<Row>;

  constructor(private readonly database: Database) {
    this.users = database.query(USERS_TO_EXPORT);
  }

  /** Each page is read when it is asked for. */
  async *of(rp: RelyingParty): AsyncGenerator<readonly ExportedUser[]> {
    let name: Buffer = Buffer.alloc(0);
    for (;;) {
      const rows = await this.users.all(rp.id, name, PAGE);
      const last = rows.at(-1);
      if (!last) return;
      yield usersOf(rows, await this.furtherHandles(rp, rows));
      name = last.username;
    }
  }

  /** By the user's ID, in Latin-1. */
  private async furtherHandles(rp: RelyingParty, rows: readonly Row[]) {
    const ids = [...new Map(rows.map(({ userId }) => [keyOf(userId), userId])).values()];
    const found = await this.database
      .query<{ userId: Buffer; handle: Buffer }>(furtherHandlesOf(padded(ids)))
      .all(...scopeParams(rp), ...padded(ids));
    return groupedByUser(found);
  }
}

const keyOf = (id: Buffer): string => id.toString('latin1');

function groupedByUser<T extends { readonly userId: Buffer }>(rows: readonly T[]) {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row.userId));
    if (group) group.push(row);
    else groups.set(keyOf(row.userId), [row]);
  }
  return groups;
}

function usersOf(
  rows: readonly Row[],
  further: ReadonlyMap<string, readonly { readonly handle: Buffer }[]>,
): ExportedUser[] {
  return [...groupedByUser(rows)].map(([id, ofUser]) => {
    const { username, displayName, subject, userHandle, createdAt } = ofUser[0] as Row;
    const others = (further.get(id) ?? []).map(({ handle }) => handle);
    return {
      username: username.toString('utf8'),
      displayName,
      subject: subject?.toString('utf8'),
      handles: [userHandle, ...others],
      createdAt,
      keys: ofUser.flatMap((row) => (row.id === null ? [] : [keyOfRow(row)])),
    };
  });
}

/** SQLite and MySQL have numbers for booleans. */
const keyOfRow = (row: Row): ExportedKey => ({
  ...row,
  attestationTrusted: Boolean(row.attestationTrusted),
  userVerified: Boolean(row.userVerified),
  backupEligible: row.backupEligible === null ? null : Boolean(row.backupEligible),
  backedUp: Boolean(row.backedUp),
  enabled: Boolean(row.enabled),
});
