import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThanOrEqual, type Repository } from 'typeorm';
import { dateOf, dayOf } from '../../billing/usage/calendar.js';
import { weekOf } from '../../events/ceremony-counts/ceremony-count.entity.js';
import { DAY_MS, HOUR_MS } from '../../platform/common/durations.js';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/jobs/leased-job.js';
import { scope } from '../../platform/database/scope.js';
import { isClockWrong } from '../../platform/database/server-facts.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { UserReader } from '../user-reader.js';
import type { AdoptionView } from '../adoption.answer.js';
import type { UsersView } from '../users.answer.js';
import { AdoptionDay } from './adoption-day.entity.js';
import { DELETE_DAYS, STORE_DAY, type DayCounts } from './adoption-day.statements.js';

const FIRST_ROUND_MS = 10_000;
const WEEKS = 26;
const RELYING_PARTIES_PER_UNIT = 100;

type Curve = Pick<AdoptionView, 'curve' | 'knownSince'>;

/**
 * Counts the users of each relying party every hour, and keeps the last counts of each day: users and keys that were
 * deleted or disabled later still count on the days on which they existed.
 */
@Injectable()
export class AdoptionDays extends LeasedJob {
  constructor(
    private readonly database: Database,
    @InjectRepository(AdoptionDay) private readonly days: Repository<AdoptionDay>,
    private readonly relyingParties: RelyingPartyCache,
    private readonly users: UserReader,
  ) {
    super(database, {
      name: 'adoption-days',
      everyMs: HOUR_MS,
      retryMessage: 'Users with a key are counted again in an hour',
    });
  }

  /** A server that is restarted often would otherwise never count. */
  override onApplicationBootstrap(): void {
    this.start(FIRST_ROUND_MS);
  }

  protected override async work(): Promise<void> {
    if (await this.hold()) await this.store();
  }

  /** Counts the users now, and stores the counts as those of today. */
  async store(): Promise<void> {
    // A clock that is ahead would delete days too early.
    if (await isClockWrong(this.database)) return;
    const day = dayOf(this.clock.now());
    const before = this.firstDay();
    const counts = await this.users.count();
    const rps = this.relyingParties.current.all;
    for (let at = 0; at < rps.length; at += RELYING_PARTIES_PER_UNIT) {
      const steps = rps.slice(at, at + RELYING_PARTIES_PER_UNIT).flatMap((rp) => {
        const { total: users = 0, withKey = 0 } = counts.get(mapKey(rp.id)) ?? {};
        return [
          STORE_DAY[this.database.kind].step({ ...scope(rp), day, users, withKey }),
          DELETE_DAYS.step({ ...scope(rp), before }),
        ];
      });
      await this.database.store(steps, { background: true });
    }
  }

  /** @param now the users as they are now: today's point of the curve */
  async curve(rp: RelyingParty, now: Pick<UsersView, 'total' | 'withKey'>): Promise<Curve> {
    const day = MoreThanOrEqual(this.firstDay());
    const rows = await this.days.find({ where: { ...scope(rp), day }, order: { day: 'ASC' } });
    const today = { day: dayOf(this.clock.now()), users: now.total, withKey: now.withKey };
    return curveOf([...rows, today]);
  }

  /** The first day of the weeks that the curve shows. */
  private firstDay(): number {
    return weekOf(this.clock.now()) - (WEEKS - 1) * 7;
  }
}

/**
 * The curve with the last counted day of each week.
 *
 * @param days oldest first; the last one may repeat a day with later counts
 */
function curveOf(days: readonly DayCounts[]): Curve {
  const lastOfWeeks = new Map(days.map((one) => [weekOf(one.day * DAY_MS), one]));
  return {
    knownSince: dateOf(days[0]?.day ?? 0),
    curve: [...lastOfWeeks].map(([week, { day, users, withKey }]) => ({
      from: dateOf(week),
      day: dateOf(day),
      users,
      withKey,
    })),
  };
}
