import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Database } from '../../database/database.js';
import type { Query } from '../../database/database.js';
import type { Step } from '../../database/commit/unit.js';
import { scopeParams } from '../../database/scope.js';
import type { Account } from '../../security/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';

/**
 * `receiving` until the whole list is stored; then `ready`, `deleting` while its users are deleted,
 * `stopped` on the way or `done`.
 */
export type UploadState = 'receiving' | 'ready' | 'deleting' | 'stopped' | 'done';

/** A stored list of user names: of one account, for one relying party, for a while. */
export interface Upload {
  readonly id: Buffer;
  readonly account: string;
  readonly relyingPartyId: Buffer;
  readonly state: UploadState;
}

/** A line as it is stored: a name in NFC, or what cannot be one. */
export type StoredLine = { readonly line: number } & (
  | { readonly username: string; readonly shown?: undefined }
  | { readonly username?: undefined; readonly shown: string }
);

export type Outcome = 'deleted' | 'missing';

/** What has become of a line. */
export type ReadLine = StoredLine & {
  /** `undefined` where no deletion has come by yet. */
  readonly outcome: Outcome | undefined;
  /** How many credentials were deleted with the user. */
  readonly credentials: number;
};

/** How many names have an outcome so far, how many have none, and how many lines are no names. */
export interface Tally {
  readonly left: number;
  readonly deleted: number;
  readonly missing: number;
  readonly invalid: number;
  readonly credentials: number;
}

const LIFE_MS = 3_600_000;
const ID_BYTES = 16;

interface Row {
  line: number;
  username: Buffer | null;
  shown: Buffer | null;
  outcome: Outcome | null;
  credentials: number;
}

/** Lists of user names, kept in the database so that any instance can go on with one. */
@Injectable()
export class UploadStore {
  private readonly byId: Query<Omit<Upload, 'account'> & { account: Buffer }>;
  private readonly byLine: Query<Row>;
  private readonly tallies: Query<{ named: number; outcome: Outcome | null; n: number; c: number }>;
  /** The first line of a name wins. */
  private readonly insertOnce: string;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.insertOnce = database.kind === 'sqlite' ? 'INSERT OR IGNORE' : 'INSERT IGNORE';
    this.byId = database.query(
      `SELECT id, account, relying_party_id AS relyingPartyId, state FROM uploads
       WHERE id = ? AND expires_at > ?`,
    );
    this.byLine = database.query(
      `SELECT line, username, shown, outcome, credentials FROM upload_lines
       WHERE upload_id = ? AND line > ? ORDER BY line LIMIT ?`,
    );
    this.tallies = database.query(
      `SELECT username IS NOT NULL AS named, outcome, COUNT(*) AS n, SUM(credentials) AS c
       FROM upload_lines WHERE upload_id = ? GROUP BY 1, 2`,
    );
  }

  /** Begins a list. It can be used once it is `ready`. */
  async begin({ name }: Account, rp: RelyingParty): Promise<Upload> {
    const upload: Upload = {
      id: randomBytes(ID_BYTES),
      account: name,
      relyingPartyId: rp.id,
      state: 'receiving',
    };
    const { id, account, state } = upload;
    const bytes = Buffer.from(account, 'utf8');
    await this.database.commit([
      {
        sql: `INSERT INTO uploads (id, account, relying_party_id, tenant_id, state, expires_at)
              VALUES (?, ?, ?, ?, ?, ?)`,
        params: [id, bytes, ...scopeParams(rp), state, this.clock.now() + LIFE_MS],
      },
    ]);
    return upload;
  }

  /** Adds lines; a name that the list has already is left out. */
  async add({ id }: Upload, lines: readonly StoredLine[]): Promise<void> {
    await this.database.commit(inStatements(lines).map((part) => this.insertion(id, part)));
  }

  /** The list of this account for this relying party; `undefined` for any other, or an old one. */
  async find(id: string, { name }: Account): Promise<Upload | undefined> {
    const bytes = Buffer.from(id, 'base64url');
    const [row] = await this.byId.all(bytes, this.clock.now());
    if (!row || row.state === 'receiving' || row.account.toString('utf8') !== name)
      return undefined;
    return { ...row, account: name };
  }

  /**
   * Enters a state and prolongs the list's life.
   *
   * @returns `false` where the list is in `unless` or gone; nothing is changed then
   */
  enter({ id }: Upload, state: UploadState, unless: UploadState = 'receiving'): Promise<boolean> {
    return this.database.commit([
      {
        sql: 'UPDATE uploads SET state = ?, expires_at = ? WHERE id = ? AND state <> ?',
        params: [state, this.clock.now() + LIFE_MS, id, unless],
        guard: true,
      },
    ]);
  }

  /** Ends the list's life: the cleanup deletes it. */
  async expire({ id }: Upload): Promise<void> {
    await this.database.commit([
      { sql: 'UPDATE uploads SET expires_at = 0 WHERE id = ?', params: [id] },
    ]);
  }

  /** The next lines behind one, in their order. */
  async lines({ id }: Upload, after: number, limit: number): Promise<ReadLine[]> {
    const rows = await this.byLine.all(id, after, limit);
    return rows.map(({ line, username, shown, outcome, credentials }) => ({
      line,
      ...(username
        ? { username: username.toString('utf8') }
        : { shown: shown?.toString('utf8') ?? '' }),
      outcome: outcome ?? undefined,
      credentials,
    }));
  }

  async tally({ id }: Upload): Promise<Tally> {
    const tally = { left: 0, deleted: 0, missing: 0, invalid: 0, credentials: 0 };
    for (const { named, outcome, n, c } of await this.tallies.all(id)) {
      tally[Number(named) === 0 ? 'invalid' : (outcome ?? 'left')] += Number(n);
      tally.credentials += Number(c);
    }
    return tally;
  }

  /** Goes into the unit that deletes the user of a line. */
  deletedStep({ id }: Upload, line: number, credentials: number): Step {
    return {
      sql: `UPDATE upload_lines SET outcome = 'deleted', credentials = ?
            WHERE upload_id = ? AND line = ?`,
      params: [credentials, id, line],
    };
  }

  /** Notes that lines up to `last` that have no outcome are of nobody. */
  async noteMissing({ id }: Upload, first: number, last: number): Promise<void> {
    await this.database.commit([
      {
        sql: `UPDATE upload_lines SET outcome = 'missing'
              WHERE upload_id = ? AND line BETWEEN ? AND ?
                AND username IS NOT NULL AND outcome IS NULL`,
        params: [id, first, last],
      },
    ]);
  }

  private insertion(id: Buffer, lines: readonly StoredLine[]): Step {
    const rows = lines.map(() => '(?, ?, ?, ?)').join(', ');
    return {
      sql: `${this.insertOnce} INTO upload_lines (upload_id, line, username, shown) VALUES ${rows}`,
      params: lines.flatMap(({ line, username, shown }) => [
        id,
        line,
        username === undefined ? null : Buffer.from(username, 'utf8'),
        shown === undefined ? null : Buffer.from(shown, 'utf8'),
      ]),
    };
  }
}

const ROWS = 250;

/** Statements of one size and of one row, so that there are two texts. */
function inStatements(lines: readonly StoredLine[]): (readonly StoredLine[])[] {
  const whole = lines.length - (lines.length % ROWS);
  const large = Array.from({ length: whole / ROWS }, (_, n) =>
    lines.slice(n * ROWS, (n + 1) * ROWS),
  );
  return [...large, ...lines.slice(whole).map((line) => [line])];
}
