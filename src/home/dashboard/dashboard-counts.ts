import { Injectable } from '@nestjs/common';
import { CachedValue } from '../../platform/common/caching/cached-value.js';
import { UsageReader, type DayUsage } from '../../billing/usage/usage-reader.js';
import { Inventory } from '../../users/credentials/inventory.js';
import { MoveCounts } from '../../users/moves/move-counts.js';
import { HourlyEventCounts, type EventCount } from '../../events/hourly-event-counts.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import {
  refusalsByReason,
  visibleRows,
  modelsInUse,
  type ModelRow,
  type RefusalRow,
  type VisibleRelyingParties,
} from './dashboard-figures.js';

const DAYS = 30;
/** Full hours before the current one; together with it they are at most a day, and a week. */
const DAY_HOURS = 23;
const WEEK_HOURS = 7 * 24 - 1;

/**
 * The figures of the dashboard. Each is counted once for all accounts and cached; an account is shown the
 * part that it may see.
 */
@Injectable()
export class DashboardCounts {
  private readonly day = new CachedValue(() => this.eventCounts.lastHours(DAY_HOURS));
  /** Counted after the day, whose hours are then cached: the page needs the day first. */
  private readonly week = new CachedValue(() =>
    this.day.read().then(() => this.eventCounts.lastHours(WEEK_HOURS)),
  );
  private readonly keysByModel = new CachedValue(() => this.inventory.keysByModel());
  private readonly unverifiedCounts = new CachedValue(() => this.inventory.unverifiedUsers());
  /** Numbers of users and keys, by relying party. */
  readonly holdings = new CachedValue(() => this.inventory.byRelyingParty());

  constructor(
    private readonly inventory: Inventory,
    private readonly models: AuthenticatorModels,
    private readonly usage: UsageReader,
    private readonly eventCounts: HourlyEventCounts,
    readonly moves: MoveCounts,
  ) {}

  days(scope: VisibleRelyingParties): Promise<DayUsage[]> {
    return this.usage.lastDays(DAYS, scope);
  }

  async lastDay(scope: VisibleRelyingParties): Promise<EventCount[]> {
    return visibleRows(scope, await this.day.read());
  }

  async lastWeek(scope: VisibleRelyingParties): Promise<EventCount[]> {
    return visibleRows(scope, await this.week.read());
  }

  async refusals(scope: VisibleRelyingParties): Promise<RefusalRow[]> {
    return refusalsByReason(await this.lastWeek(scope));
  }

  /** The models in use, most frequent first. */
  async modelsInUse(scope: VisibleRelyingParties): Promise<ModelRow[]> {
    const counts = visibleRows(scope, await this.keysByModel.read());
    return modelsInUse(counts, (aaguid) => this.models.name(aaguid));
  }

  async unverifiedUsers(scope: VisibleRelyingParties): Promise<number> {
    const counts = visibleRows(scope, await this.unverifiedCounts.read());
    return counts.reduce((total, { users }) => total + users, 0);
  }
}
