import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, type Repository } from 'typeorm';
import type { ScopeOwner } from '../../platform/database/scope.js';
import {
  END_OF_TIME,
  bytesOfMapKey,
  idFrom,
  mapKey,
  timeOfId,
} from '../../platform/database/row-ids.js';
import { inFewSizes } from '../../platform/common/split-into-parts.js';
import { insertStep, updateStep } from '../../platform/database/commit/step-of.js';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import { Database } from '../../platform/database/database.js';
import { eventSlices } from '../../events/event-slices.js';
import { NTH_EVENT } from '../../events/event.statements.js';
import { DAY_MS } from '../../platform/common/durations.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { UsageDayEntity, UsageProgress } from './usage.entity.js';
import { tallyOf, type CountedSlice, type EventFigures, type UsageDay } from './usage-figures.js';
import {
  ACTIVATE,
  ACTIVE_BEFORE,
  COUNTED_UPTO,
  DELETE_ACTIVE,
  INSERT_DAY,
  LAST_EVENT,
  NEWLY_ACTIVE,
  TALLIES,
  UPDATE_DAY,
  type ActiveIdentity,
  type NewlyActiveRow,
} from './usage.statements.js';
import { dayOf, monthOf } from './calendar.js';

/** Figures by relying party ID (`mapKey`). */
type ByRelyingParty<T> = ReadonlyMap<string, T>;

export interface NewlyActive {
  readonly counts: ByRelyingParty<number>;
  /** The users, and the same users at predecessors. */
  readonly users: readonly ActiveIdentity[];
}

const keyOf = ({ relyingPartyId, userId }: ActiveIdentity) =>
  `${mapKey(relyingPartyId)} ${mapKey(userId)}`;

/** The user whose activity an event is, and the same user at predecessors. */
function identitiesOf(row: NewlyActiveRow): ActiveIdentity[] {
  const { tenantId, relyingPartyId, userId } = row;
  const { departedId, departedUserId, arrivedId, arrivedUserId } = row;
  return [
    { tenantId, relyingPartyId, userId },
    ...(departedId && departedUserId
      ? [{ tenantId, relyingPartyId: departedId, userId: departedUserId }]
      : []),
    ...(arrivedId && arrivedUserId
      ? [{ tenantId, relyingPartyId: arrivedId, userId: arrivedUserId }]
      : []),
  ];
}

/** Counts the ledger. Times are milliseconds since 1970; the end of a range is exclusive. */
@Injectable()
export class UsageStore {
  constructor(
    private readonly database: Database,
    @InjectRepository(UsageDayEntity) private readonly days: Repository<UsageDayEntity>,
    @InjectRepository(UsageProgress) private readonly progress: Repository<UsageProgress>,
    @InjectRepository(RelyingPartyEntity) private readonly parties: Repository<RelyingPartyEntity>,
  ) {}

  /** The time up to which events are counted; 0 if none are. */
  async upto(): Promise<number> {
    return (await this.progress.findOneBy({ id: 1 }))?.upto ?? 0;
  }

  /**
   * Returns the next slice to count: never across midnight, and not too large. It ends right behind an event,
   * so that a wrong clock does not move the count beyond the existing events.
   *
   * @param limit events from this time on are too young for the final count
   * @param enough the number of events in a slice; all events of the same millisecond stay together
   * @returns `undefined` if there are no events that are old enough
   */
  async nextSlice(limit: number, enough: number): Promise<CountedSlice | undefined> {
    const from = await this.upto();
    const first = await this.nthEvent(from, 0);
    if (first === undefined || first >= limit) return undefined;
    const later = (await this.nthEvent(from, enough)) ?? Infinity;
    const day = dayOf(first);
    const end = Math.min(limit, (day + 1) * DAY_MS);
    const [last] = await this.database.query(LAST_EVENT, { to: idFrom(end) });
    const afterLast = (last ? timeOfId(last.id) : first) + 1;
    return { from, to: Math.min(Math.max(later, first + 1), afterLast), day };
  }

  /** The time of the nth event since a time, counted from 0. */
  async nthEvent(from: number, n: number): Promise<number | undefined> {
    const range = { from: idFrom(from), to: idFrom(END_OF_TIME) };
    const [row] = await this.database.query(NTH_EVENT, { ...range, n });
    return row && timeOfId(row.id);
  }

  async tallies(from: number, to: number): Promise<ByRelyingParty<EventFigures>> {
    const rows = [];
    for await (const slice of eventSlices(this.database, from, to)) {
      rows.push(...(await this.database.query(TALLIES, slice)));
    }
    const counts = Map.groupBy(rows, ({ relyingPartyId }) => mapKey(relyingPartyId));
    return new Map([...counts].map(([id, mine]) => [id, tallyOf(mine)]));
  }

  /**
   * The users with events in a range who had not been active in the month before. Events count in their order, so that
   * the size of ranges makes no difference: the first one of a user counts, unless the same user was active at a
   * predecessor, and is stored for the predecessor too. So one person counts once, at the domain that came first.
   *
   * @param upto the time up to which the caller's figures are counted; simultaneous counting by other
   *   instances has no effect
   */
  async newlyActive(
    { from, to }: Pick<CountedSlice, 'from' | 'to'>,
    month: number,
    upto: number,
  ): Promise<NewlyActive> {
    const counts = new Map<string, number>();
    const seen = new Map<string, ActiveIdentity>();
    for await (const slice of eventSlices(this.database, from, to)) {
      const query = { ...slice, month, since: upto };
      for (const row of await this.database.query(NEWLY_ACTIVE, query)) {
        const [own, ...elsewhere] = identitiesOf(row).map((one) => [keyOf(one), one] as const);
        if (!own || seen.has(own[0])) continue;
        if (row.wasActive === 0 && !elsewhere.some(([key]) => seen.has(key))) {
          const id = mapKey(row.relyingPartyId);
          counts.set(id, (counts.get(id) ?? 0) + 1);
        }
        for (const [key, one] of [own, ...elsewhere]) seen.set(key, one);
      }
    }
    return { counts, users: [...seen.values()] };
  }

  lastDay(relyingParty: string): Promise<UsageDay | null> {
    const relyingPartyId = bytesOfMapKey(relyingParty);
    return this.days.findOne({ where: { relyingPartyId }, order: { day: 'DESC' } });
  }

  /**
   * Stores the figures of a slice and marks it as counted, unless another instance has counted it.
   *
   * @param days the new rows, and whether a row of that day exists
   * @param users the result of `newlyActive`
   * @returns `false` if another instance was faster; nothing is stored then
   */
  count(
    { from, to, day }: CountedSlice,
    days: ByRelyingParty<{ row: UsageDay; exists: boolean }>,
    users: readonly ActiveIdentity[],
  ): Promise<boolean> {
    const { kind } = this.database;
    const active = { month: monthOf(day), since: from };
    return this.database.commit([
      COUNTED_UPTO.mustChange({ from, to }),
      ...[...days].map(([id, { row, exists }]) => {
        const stored = { ...row, relyingPartyId: bytesOfMapKey(id) };
        return exists
          ? UPDATE_DAY.step(stored)
          : INSERT_DAY.step({ ...stored, month: monthOf(day) });
      }),
      ...inFewSizes(users).map((rows) => ACTIVATE[kind].step({ ...active, rows })),
    ]);
  }

  /** Inserts the row with no progress, unless another instance was faster, or this one was stopped afterwards. */
  async begin(): Promise<void> {
    await falseIfTaken(this.database.commit([insertStep(this.progress, { id: 1, upto: 0 })]));
  }

  relyingParties(): Promise<ScopeOwner[]> {
    return this.parties.find({ select: { id: true, tenantId: true } });
  }

  /**
   * Fills in the tenant of a relying party's days that an instance of the previous version counted.
   *
   * @returns whether there were any
   */
  async fillInTenant({ id, tenantId }: ScopeOwner): Promise<boolean> {
    const days = { relyingPartyId: id, tenantId: IsNull() };
    if (!(await this.days.existsBy(days))) return false;
    const step = updateStep(this.days, days, { tenantId });
    await this.database.store([step], { background: true });
    return true;
  }

  /** @returns whether there are more */
  async deleteActive(day: number, atMost: number): Promise<boolean> {
    const params = { month: monthOf(day), limit: atMost };
    const rows = await this.database.query(ACTIVE_BEFORE, params);
    if (rows.length === 0) return false;
    await this.database.store(rows.map((row) => DELETE_ACTIVE.step(row)));
    return rows.length === atMost;
  }
}
