import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { brokenRule } from '../../platform/errors/reasons.js';
import type { Text } from '../../platform/pages/languages/phrase.js';
import { explain } from '../../events/refusal-explanation.js';
import { NO_AAGUID } from '../../webauthn/aaguid.js';
import { CachedValue } from '../../platform/common/caching.js';
import { UsageReader, type DayUsage } from '../../billing/usage/usage-reader.js';
import { Inventory, type ModelCount } from '../../users/credentials/inventory.js';
import { MoveCounts } from '../../users/moves/move-counts.js';
import { HourlyEventCounts, type EventCount } from '../../events/hourly-event-counts.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';

const DAYS = 30;
/** Full hours before the current one; together with it they are at most a day, and a week. */
const DAY_HOURS = 23;
const WEEK_HOURS = 7 * 24 - 1;

/** IDs (hex) of the relying parties that an account may see. */
export type VisibleRelyingParties = ReadonlySet<string>;

interface RefusalRow {
  readonly reason: Text;
  /** Empty for a reason without a code. */
  readonly code: string;
  n: number;
}

/** A model, and the number of its keys. */
export interface ModelRow {
  readonly model: string;
  readonly aaguid: string;
  readonly n: number;
}

/** The name of models without a name. */
export const MODEL_NOT_REPORTED = 'Model not reported';
export const UNKNOWN = 'Unknown model';

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

const visibleRows = <Row extends { readonly relyingParty: string }>(
  scope: VisibleRelyingParties,
  rows: readonly Row[],
): Row[] => rows.filter(({ relyingParty }) => scope.has(relyingParty));

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

/** Refusals in plain words, most frequent first. */
function refusalsByReason(counts: readonly EventCount[]): RefusalRow[] {
  const rows: RefusalRow[] = [];
  for (const { code, rule, n } of counts.filter(isRefused)) {
    const { reason } = explain(code, rule && brokenRule(rule));
    const same = rows.find(
      (row) => row.code === (code ?? '') && isDeepStrictEqual(row.reason, reason),
    );
    if (same) same.n += n;
    else rows.push({ reason, code: code ?? '', n });
  }
  return rows.sort((one, other) => other.n - one.n || one.code.localeCompare(other.code));
}

/** Models by name, most frequent first. */
export function modelsInUse(
  counts: readonly ModelCount[],
  nameOf: (aaguid: string) => string | null,
): ModelRow[] {
  return totals(counts, ({ aaguid }) => aaguid).map(([aaguid, n]) => ({
    model: nameOf(aaguid) ?? (aaguid === NO_AAGUID ? MODEL_NOT_REPORTED : UNKNOWN),
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
