import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { brokenRule } from '../../platform/errors/reasons.js';
import type { Text } from '../../platform/pages/languages/phrase.js';
import { explain } from '../../events/refusal-explanation.js';
import { NO_AAGUID } from '../../webauthn/aaguid.js';
import { CachedValue } from '../../platform/common/caching.js';
import { Clock } from '../../platform/common/clock.js';
import { HOUR_MS } from '../../platform/common/durations.js';
import { UsageReader, type DayUsage } from '../../billing/usage/usage-reader.js';
import { Inventory, type ModelCount } from '../../users/credentials/inventory.js';
import { MoveCounts } from '../../users/moves/move-counts.js';
import { HourlyEventCounts, type EventCount } from '../../events/hourly-event-counts.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';

const DAYS = 30;
/** Full hours before the current one; together with it they are at most a day, and a week. */
const DAY_HOURS = 23;
const WEEK_DAYS = 7;
const WEEK_HOURS = WEEK_DAYS * 24 - 1;

/** IDs (`mapKey`) of the relying parties that an account may see. */
export type VisibleRelyingParties = ReadonlySet<string>;

interface RefusalRow {
  readonly reason: Text;
  /** Empty for a reason without a code. */
  readonly code: string;
  /** In the last seven days. */
  n: number;
  /** In the last 24 hours. */
  recent: number;
}

/** The factor by which the last day exceeds the average of the days before it where refusals rise. */
const RISE = 1.5;

/** Whether there were clearly more refusals in the last day than on a day before. */
export const isRising = ({ n, recent }: Pick<RefusalRow, 'n' | 'recent'>): boolean =>
  recent > 1 && recent > RISE * ((n - recent) / (WEEK_DAYS - 1));

/** A model, and the number of its keys. */
export interface ModelRow {
  readonly model: string;
  readonly aaguid: string;
  readonly n: number;
}

/** The name of models without a name. */
export const MODEL_NOT_REPORTED = 'Model not reported';
export const MODEL_UNKNOWN = 'Unknown model';

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
  private readonly cannotSignIn = new CachedValue(() => this.inventory.usersWhoCannotSignIn());
  /** Numbers of users and keys, by relying party. */
  readonly holdings = new CachedValue(() => this.inventory.byRelyingParty());

  constructor(
    private readonly inventory: Inventory,
    private readonly models: AuthenticatorModels,
    private readonly usage: UsageReader,
    private readonly eventCounts: HourlyEventCounts,
    readonly moves: MoveCounts,
    private readonly clock: Clock,
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

  async refusals(scope: VisibleRelyingParties): Promise<readonly RefusalRow[]> {
    const dayBegins = Math.floor(this.clock.now() / HOUR_MS) - DAY_HOURS;
    return refusalsByReason(await this.lastWeek(scope), dayBegins);
  }

  /** The models in use, most frequent first. */
  async modelsInUse(scope: VisibleRelyingParties): Promise<ModelRow[]> {
    const counts = visibleRows(scope, await this.keysByModel.read());
    return modelsInUse(counts, (aaguid) => this.models.name(aaguid));
  }

  async unverifiedUsers(scope: VisibleRelyingParties): Promise<number> {
    return usersIn(visibleRows(scope, await this.unverifiedCounts.read()));
  }

  async usersWhoCannotSignIn(scope: VisibleRelyingParties): Promise<number> {
    return usersIn(visibleRows(scope, await this.cannotSignIn.read()));
  }
}

const visibleRows = <Row extends { readonly relyingParty: string }>(
  scope: VisibleRelyingParties,
  rows: readonly Row[],
): Row[] => rows.filter(({ relyingParty }) => scope.has(relyingParty));

const usersIn = (counts: readonly { readonly users: number }[]): number =>
  counts.reduce((total, { users }) => total + users, 0);

const isRefused = ({ kind }: EventCount): boolean => kind.endsWith('-refused');

const sum = (rows: readonly { readonly n: number }[]): number =>
  rows.reduce((total, { n }) => total + n, 0);

export const eventCountOf = (counts: readonly EventCount[], kind: EventCount['kind']): number =>
  sum(counts.filter((count) => count.kind === kind));

export function ceremonyFigures(counts: readonly EventCount[]) {
  const refused = sum(counts.filter(isRefused));
  return {
    refused,
    all: refused + eventCountOf(counts, 'authentication') + eventCountOf(counts, 'registration'),
  };
}

/**
 * Refusals in plain words, most frequent first.
 *
 * @param dayBegins the first hour of the last day, since 1970
 */
function refusalsByReason(week: readonly EventCount[], dayBegins: number): readonly RefusalRow[] {
  const rows: RefusalRow[] = [];
  const rowOf = ({ code, rule }: EventCount): RefusalRow => {
    const { reason } = explain(code, rule && brokenRule(rule));
    const isSame = (row: RefusalRow) =>
      row.code === (code ?? '') && isDeepStrictEqual(row.reason, reason);
    const known = rows.find(isSame);
    if (known) return known;
    const row = { reason, code: code ?? '', n: 0, recent: 0 };
    rows.push(row);
    return row;
  };
  for (const count of week.filter(isRefused)) {
    const row = rowOf(count);
    row.n += count.n;
    if (count.hour >= dayBegins) row.recent += count.n;
  }
  return rows.sort((one, other) => other.n - one.n || one.code.localeCompare(other.code));
}

/** Models by name, most frequent first. */
export function modelsInUse(
  counts: readonly ModelCount[],
  nameOf: (aaguid: string) => string | null,
): ModelRow[] {
  return totals(counts, ({ aaguid }) => aaguid).map(([aaguid, n]) => ({
    model: nameOf(aaguid) ?? (aaguid === NO_AAGUID ? MODEL_NOT_REPORTED : MODEL_UNKNOWN),
    aaguid,
    n,
  }));
}

/** Merges models with the same name, because makers give each firmware its own AAGUID. */
export const mergeModelsByName = (models: readonly ModelRow[]): ModelRow[] =>
  totals(models, ({ model }) => model).map(([model, n]) => {
    const aaguids = models.filter((row) => row.model === model).map(({ aaguid }) => aaguid);
    return { model, n, aaguid: aaguids.join(', ') };
  });

function totals<Row extends { readonly n: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): [string, number][] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + row.n);
  return [...sums].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}
