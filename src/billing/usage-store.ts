import { Injectable } from '@nestjs/common';
import { idFrom, timeOf } from '../database/columns.js';
import { Database } from '../database/database.js';
import type { Step } from '../database/commit/unit.js';
import { DAY_MS, dayOf, monthOf } from './calendar.js';
import { tallyOf } from './figures.js';
import type { Ahead, KindCount, Slice, Tally, UsageDay } from './figures.js';

/** Figures by relying party ID (hex). */
export type ByRelyingParty<T> = ReadonlyMap<string, T>;

interface CountRow extends KindCount {
  readonly relyingParty: Buffer;
}

/** Kinds that make a user active. */
const ACTIVITY = "('registration', 'authentication')";

/** Events whose users had not been active in the month before a moment. */
const NEWLY_ACTIVE = `FROM events e
  WHERE e.id >= ? AND e.id < ? AND e.kind IN ${ACTIVITY}
    AND NOT EXISTS (SELECT 1 FROM usage_active a
      WHERE a.month = ? AND a.relying_party_id = e.relying_party_id AND a.user_id = e.user_id
        AND a.since < ?)`;

/**
 * What is counted of the ledger, in SQL. Times are milliseconds since 1970; ranges end before their
 * end.
 */
@Injectable()
export class UsageStore {
  constructor(private readonly database: Database) {}

  /** How far events are counted; 0 when nothing is yet. */
  async upto(): Promise<number> {
    const [row] = await this.database
      .query<{ upto: number }>('SELECT upto FROM usage_progress WHERE id = 1')
      .all();
    return row?.upto ?? 0;
  }

  /**
   * Where the next events lie.
   *
   * @param limit events from here on are too young to be counted for good
   * @param enough how many events make a slice
   * @returns `undefined` when there are none that are old enough
   */
  async ahead(limit: number, enough: number): Promise<Ahead | undefined> {
    const upto = await this.upto();
    const first = await this.nthEvent(upto, 0);
    if (first === undefined || first >= limit) return undefined;
    const later = await this.nthEvent(upto, enough);
    const end = Math.min(limit, (dayOf(first) + 1) * DAY_MS);
    const sql = 'SELECT id FROM events WHERE id < ? ORDER BY id DESC LIMIT 1';
    const [last] = await this.database.query<{ id: Buffer }>(sql).all(idFrom(end));
    return { upto, first, later, last: last ? timeOf(last.id) : first };
  }

  private async nthEvent(from: number, n: number): Promise<number | undefined> {
    const sql = 'SELECT id FROM events WHERE id >= ? ORDER BY id LIMIT 1 OFFSET ?';
    const [row] = await this.database.query<{ id: Buffer }>(sql).all(idFrom(from), n);
    return row && timeOf(row.id);
  }

  /** What the events of a range come to. */
  async tallies(from: number, to: number): Promise<ByRelyingParty<Tally>> {
    const rows = await this.database
      .query<CountRow>(
        `SELECT relying_party_id AS relyingParty, kind,
           CASE WHEN kind = 'deleted' THEN detail END AS detail, COUNT(*) AS n
         FROM events WHERE id >= ? AND id < ?
         GROUP BY relying_party_id, kind, CASE WHEN kind = 'deleted' THEN detail END`,
      )
      .all(idFrom(from), idFrom(to));
    const counts = new Map<string, KindCount[]>();
    for (const { relyingParty, kind, detail, n } of rows) {
      const id = relyingParty.toString('hex');
      const mine = counts.get(id) ?? [];
      mine.push({ kind, detail, n });
      counts.set(id, mine);
    }
    return new Map([...counts].map(([id, mine]) => [id, tallyOf(mine)]));
  }

  /**
   * How many users of a range had not been active in the month before.
   *
   * @param upto where the counting stands that the answer is added to: what others count meanwhile
   *   does not matter
   */
  async newlyActive(
    { from, to }: Pick<Slice, 'from' | 'to'>,
    month: number,
    upto: number,
  ): Promise<ByRelyingParty<number>> {
    const rows = await this.database
      .query<{ relyingParty: Buffer; n: number }>(
        `SELECT e.relying_party_id AS relyingParty, COUNT(DISTINCT e.user_id) AS n ${NEWLY_ACTIVE}
         GROUP BY e.relying_party_id`,
      )
      .all(idFrom(from), idFrom(to), month, upto);
    return new Map(rows.map(({ relyingParty, n }) => [relyingParty.toString('hex'), n]));
  }

  /** The last row of a relying party. */
  async lastDay(relyingParty: string): Promise<UsageDay | undefined> {
    const [row] = await this.database
      .query<UsageDay>(
        `SELECT day, registrations, authentications, users, enabled, disabled,
           active_users AS activeUsers, events
         FROM usage_days WHERE relying_party_id = ? ORDER BY day DESC LIMIT 1`,
      )
      .all(Buffer.from(relyingParty, 'hex'));
    return row;
  }

  /**
   * Stores what a slice comes to and that it is counted, if nobody has counted from there meanwhile.
   *
   * @param days the new rows, and whether there is one of that day already
   * @returns `false` when somebody has; nothing is stored then
   */
  count(slice: Slice, days: ByRelyingParty<{ row: UsageDay; exists: boolean }>): Promise<boolean> {
    const { from, to, day } = slice;
    return this.database.commit([
      {
        sql: 'UPDATE usage_progress SET upto = ? WHERE id = 1 AND upto = ?',
        params: [to, from],
        guard: true,
      },
      ...[...days].map(([id, { row, exists }]) => (exists ? update(id, row) : insert(id, row))),
      activate(slice, monthOf(day)),
    ]);
  }

  /** Makes the row that says that nothing is counted yet; throws when there is one. */
  async begin(): Promise<void> {
    await this.database.commit([
      { sql: 'INSERT INTO usage_progress (id, upto) VALUES (1, 0)', params: [] },
    ]);
  }

  /**
   * Deletes some of the oldest events before a moment.
   *
   * @returns whether there are more
   */
  async deleteEvents(before: number, atMost: number): Promise<boolean> {
    const nth = async (n: number) => {
      const sql = 'SELECT id FROM events WHERE id < ? ORDER BY id LIMIT 1 OFFSET ?';
      const [row] = await this.database.query<{ id: Buffer }>(sql).all(idFrom(before), n);
      return row?.id;
    };
    if (!(await nth(0))) return false;
    const next = await nth(atMost);
    const sql = 'DELETE FROM events WHERE id < ?';
    await this.database.commit([{ sql, params: [next ?? idFrom(before)] }]);
    return next !== undefined;
  }

  /** All relying parties, closed ones too. */
  relyingParties(): Promise<Owner[]> {
    const sql = 'SELECT id, tenant_id AS tenantId FROM relying_parties';
    return this.database.query<Owner>(sql).all();
  }

  /**
   * Fills in the tenant of a relying party's days that an instance of the version before counted.
   *
   * @returns whether there were any
   */
  async fillInTenant({ id, tenantId }: Owner): Promise<boolean> {
    const late = 'usage_days WHERE relying_party_id = ? AND tenant_id IS NULL';
    const rows = await this.database.query(`SELECT 1 FROM ${late} LIMIT 1`).all(id);
    if (rows.length === 0) return false;
    const sql = `UPDATE usage_days SET tenant_id = ? WHERE relying_party_id = ? AND tenant_id IS NULL`;
    await this.database.commit([{ sql, params: [tenantId, id] }], { background: true });
    return true;
  }

  /**
   * Forgets some of those who were active in months before the one of a day.
   *
   * @returns whether there are more
   */
  async deleteActive(day: number, atMost: number): Promise<boolean> {
    const rows = await this.database
      .query<{ month: number; rp: Buffer; user: Buffer }>(
        `SELECT month, relying_party_id AS rp, user_id AS user FROM usage_active
         WHERE month < ? LIMIT ?`,
      )
      .all(monthOf(day), atMost);
    if (rows.length === 0) return false;
    const sql = 'DELETE FROM usage_active WHERE month = ? AND relying_party_id = ? AND user_id = ?';
    await this.database.commit(
      rows.map(({ month, rp, user }) => ({ sql, params: [month, rp, user] })),
    );
    return rows.length === atMost;
  }
}

/** A relying party that may have rows without a tenant. */
type Owner = { readonly id: Buffer; readonly tenantId: Buffer };

const valuesOf = (row: UsageDay) => [
  row.registrations,
  row.authentications,
  row.users,
  row.enabled,
  row.disabled,
  row.activeUsers,
  row.events,
];

function insert(id: string, row: UsageDay): Step {
  return {
    sql: `INSERT INTO usage_days
            (relying_party_id, day, month, registrations, authentications, users, enabled, disabled,
             active_users, events, tenant_id)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT tenant_id FROM relying_parties WHERE id = ?))`,
    params: [
      Buffer.from(id, 'hex'),
      row.day,
      monthOf(row.day),
      ...valuesOf(row),
      Buffer.from(id, 'hex'),
    ],
  };
}

function update(id: string, row: UsageDay): Step {
  return {
    sql: `UPDATE usage_days SET registrations = ?, authentications = ?, users = ?, enabled = ?,
            disabled = ?, active_users = ?, events = ?
          WHERE relying_party_id = ? AND day = ?`,
    params: [...valuesOf(row), Buffer.from(id, 'hex'), row.day],
  };
}

/** Remembers the users whom `newlyActive` counts. */
function activate({ from, to }: Slice, month: number): Step {
  return {
    sql: `INSERT INTO usage_active (month, relying_party_id, user_id, tenant_id, since)
          SELECT DISTINCT ?, e.relying_party_id, e.user_id, e.tenant_id, ? ${NEWLY_ACTIVE}`,
    params: [month, from, idFrom(from), idFrom(to), month, from],
  };
}
