import { Injectable } from '@nestjs/common';
import { UsageDays } from '../../billing/usage-days.js';
import type { DayUsage } from '../../billing/usage-days.js';
import { Inventory } from '../../credentials/inventory.js';
import { ModelUse } from '../../credentials/model-use.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { modelsInUse, refusalsByReason } from './figures.js';
import type { ModelRow, RefusalRow } from './figures.js';
import { HourlyEventCounts } from '../../ledger/hourly-event-counts.js';
import type { EventCount } from '../../ledger/hourly-event-counts.js';
import { Remembered } from './remembered.js';

/** IDs (hex) of the relying parties that an account may see. */
export type Scope = ReadonlySet<string>;

const DAYS = 30;
/** Full hours before the present one: with it at most a day, and a week. */
const DAY_HOURS = 23;
const WEEK_HOURS = 7 * 24 - 1;

/**
 * The numbers of the dashboard. Each is counted once for all accounts and remembered; an account is shown the
 * part of it that it may see.
 */
@Injectable()
export class Counts {
  private readonly day = new Remembered(() => this.eventCounts.lastHours(DAY_HOURS));
  /** Counted after the day, whose hours are then remembered: the page needs the day first. */
  private readonly week = new Remembered(() =>
    this.day.read().then(() => this.eventCounts.lastHours(WEEK_HOURS)),
  );
  private readonly modelCounts = new Remembered(() => this.modelUse.count());
  private readonly stock = new Remembered(() => this.inventory.byRelyingParty());

  constructor(
    private readonly inventory: Inventory,
    private readonly modelUse: ModelUse,
    private readonly models: AuthenticatorModels,
    private readonly usage: UsageDays,
    private readonly eventCounts: HourlyEventCounts,
  ) {}

  /** Numbers of users and keys, by relying party. */
  holdings() {
    return this.stock.read();
  }

  days(scope: Scope): Promise<DayUsage[]> {
    return this.usage.last(DAYS, scope);
  }

  async lastDay(scope: Scope): Promise<EventCount[]> {
    return within(scope, await this.day.read());
  }

  async lastWeek(scope: Scope): Promise<EventCount[]> {
    return within(scope, await this.week.read());
  }

  /** The refusals of a week, the most frequent first. */
  async refusals(scope: Scope): Promise<RefusalRow[]> {
    return refusalsByReason(await this.lastWeek(scope));
  }

  /** The most frequent first. */
  async modelsInUse(scope: Scope): Promise<ModelRow[]> {
    const counts = within(scope, await this.modelCounts.read());
    return modelsInUse(counts, (aaguid) => this.models.name(aaguid));
  }
}

const within = <Row extends { readonly relyingParty: string }>(
  scope: Scope,
  rows: readonly Row[],
): Row[] => rows.filter(({ relyingParty }) => scope.has(relyingParty));
