import { Injectable } from '@nestjs/common';
import { idFrom, timeOf } from '../../platform/database/columns.js';
import { Database } from '../../platform/database/database.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { DAY_MS, dayOf, monthOf } from './calendar.js';
import type { ActiveUser } from './active-user.entity.js';
import { tallyOf } from '../figures.js';
import type { Ahead, KindCount, Slice, EventFigures, UsageDay } from '../figures.js';
import { DELETE_RECEIPTS } from '../../events/receipts/receipt.statements.js';
import {
  ACTIVATE,
  ACTIVE_BEFORE,
  BEGIN_COUNTING,
  COUNTED_UPTO,
  COUNT_NEWLY_ACTIVE,
  DAY_WITHOUT_TENANT,
  DELETE_ACTIVE,
  DELETE_EVENTS,
  FIGURES,
  FILL_IN_TENANT,
  INSERT_DAY,
  LAST_DAY,
  LAST_EVENT,
  NTH_EVENT,
  NTH_OLD_EVENT,
  RELYING_PARTIES,
  TALLIES,
  UPDATE_DAY,
  UPTO,
} from './usage.statements.js';

/** An invoice counts a quarter of an hour at once: ten seconds' work at a thousand sign-ins a second. */
const PATIENCE = { patienceMs: 30_000 };

/** Figures by relying party ID (hex). */
type ByRelyingParty<T> = ReadonlyMap<string, T>;

interface CountRow extends KindCount {
  readonly relyingPartyId: Buffer;
}

/** Counts the ledger. Times are milliseconds since 1970; the end of a range is not part of it. */
@Injectable()
export class UsageStore {
  constructor(private readonly database: Database) {}

  /** How far events are counted; 0 when nothing is yet. */
  async upto(): Promise<number> {
    const [row] = await this.database.query<{ upto: number }>(UPTO).all();
    return row?.upto ?? 0;
  }

  /**
   * The next events to count.
   *
   * @param limit events from this time on are too young to be counted for good
   * @param enough how many events make a slice
   * @returns `undefined` where there are none that are old enough
   */
  async ahead(limit: number, enough: number): Promise<Ahead | undefined> {
    const upto = await this.upto();
    const first = await this.nthEvent(upto, 0);
    if (first === undefined || first >= limit) return undefined;
    const later = await this.nthEvent(upto, enough);
    const end = Math.min(limit, (dayOf(first) + 1) * DAY_MS);
    const [last] = await this.database.query<{ id: Buffer }>(LAST_EVENT).all(idFrom(end));
    return { upto, first, later, last: last ? timeOf(last.id) : first };
  }

  private async nthEvent(from: number, n: number): Promise<number | undefined> {
    const [row] = await this.database.query<{ id: Buffer }>(NTH_EVENT).all(idFrom(from), n);
    return row && timeOf(row.id);
  }

  /** The figures of the events of a range. */
  async tallies(from: number, to: number): Promise<ByRelyingParty<EventFigures>> {
    const rows = await this.database
      .query<CountRow>(TALLIES, PATIENCE)
      .all(idFrom(from), idFrom(to));
    const counts = new Map<string, KindCount[]>();
    for (const { relyingPartyId, ...count } of rows) {
      const id = relyingPartyId.toString('hex');
      counts.set(id, [...(counts.get(id) ?? []), count]);
    }
    return new Map([...counts].map(([id, mine]) => [id, tallyOf(mine)]));
  }

  /**
   * How many users with events in a range had not been active in the month before.
   *
   * @param upto how far those figures are counted that the answer is added to; what other instances count
   *   meanwhile does not matter
   */
  async newlyActive(
    { from, to }: Pick<Slice, 'from' | 'to'>,
    month: number,
    upto: number,
  ): Promise<ByRelyingParty<number>> {
    const rows = await this.database
      .query<{ relyingPartyId: Buffer; n: number }>(COUNT_NEWLY_ACTIVE, PATIENCE)
      .all(idFrom(from), idFrom(to), month, upto, month, upto);
    return new Map(rows.map(({ relyingPartyId, n }) => [relyingPartyId.toString('hex'), n]));
  }

  /** The last row of a relying party. */
  async lastDay(relyingParty: string): Promise<UsageDay | undefined> {
    const id = Buffer.from(relyingParty, 'hex');
    const [row] = await this.database.query<UsageDay>(LAST_DAY).all(id);
    return row;
  }

  /**
   * Stores the figures of a slice and that it is counted, unless another instance has counted it meanwhile.
   *
   * @param days the new rows, and whether there is one of that day already
   * @returns `false` where another instance has; nothing is stored then
   */
  count(slice: Slice, days: ByRelyingParty<{ row: UsageDay; exists: boolean }>): Promise<boolean> {
    const { from, to, day } = slice;
    return this.database.commit([
      { sql: COUNTED_UPTO, params: [to, from], guard: true },
      ...[...days].map(([id, { row, exists }]) => (exists ? update(id, row) : insert(id, row))),
      activate(slice, monthOf(day)),
    ]);
  }

  /** Inserts the row that says that nothing is counted yet; throws when there is one already. */
  async begin(): Promise<void> {
    await this.database.commit([{ sql: BEGIN_COUNTING, params: [] }]);
  }

  /**
   * Deletes some of the oldest events before a moment.
   *
   * @returns whether there are more
   */
  async deleteEvents(before: number, atMost: number): Promise<boolean> {
    const nth = async (n: number) => {
      const [row] = await this.database.query<{ id: Buffer }>(NTH_OLD_EVENT).all(idFrom(before), n);
      return row?.id;
    };
    if (!(await nth(0))) return false;
    const next = await nth(atMost);
    const params = [next ?? idFrom(before)];
    await this.database.commit([
      { sql: DELETE_EVENTS, params },
      { sql: DELETE_RECEIPTS, params },
    ]);
    return next !== undefined;
  }

  /** All relying parties, closed ones too. */
  relyingParties(): Promise<Owner[]> {
    return this.database.query<Owner>(RELYING_PARTIES).all();
  }

  /**
   * Fills in the tenant of a relying party's days that an instance of the version before counted.
   *
   * @returns whether there were any
   */
  async fillInTenant({ id, tenantId }: Owner): Promise<boolean> {
    const rows = await this.database.query(DAY_WITHOUT_TENANT).all(id);
    if (rows.length === 0) return false;
    const step = { sql: FILL_IN_TENANT, params: [tenantId, id] };
    await this.database.commit([step], { background: true });
    return true;
  }

  /**
   * Deletes some rows of users who were active in months before the one of a day.
   *
   * @returns whether there are more
   */
  async deleteActive(day: number, atMost: number): Promise<boolean> {
    const rows = await this.database.query<ActiveRow>(ACTIVE_BEFORE).all(monthOf(day), atMost);
    if (rows.length === 0) return false;
    await this.database.commit(
      rows.map(({ month, relyingPartyId, userId }) => ({
        sql: DELETE_ACTIVE,
        params: [month, relyingPartyId, userId],
      })),
    );
    return rows.length === atMost;
  }
}

/** A relying party that may have rows without a tenant. */
type Owner = { readonly id: Buffer; readonly tenantId: Buffer };

type ActiveRow = Pick<ActiveUser, 'month' | 'relyingPartyId' | 'userId'>;

const figuresOf = (row: UsageDay) => FIGURES.map((figure) => row[figure]);

function insert(relyingParty: string, row: UsageDay): Step {
  const id = Buffer.from(relyingParty, 'hex');
  return { sql: INSERT_DAY, params: [id, row.day, monthOf(row.day), ...figuresOf(row), id] };
}

function update(relyingParty: string, row: UsageDay): Step {
  const id = Buffer.from(relyingParty, 'hex');
  return { sql: UPDATE_DAY, params: [...figuresOf(row), id, row.day] };
}

/** Remembers the users whom `newlyActive` counts. */
function activate({ from, to }: Slice, month: number): Step {
  const before = [month, from];
  const params = [...before, idFrom(from), idFrom(to), ...before, ...before];
  return { sql: ACTIVATE, params };
}
