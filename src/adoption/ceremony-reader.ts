import { Injectable } from '@nestjs/common';
import { UsageReader } from '../billing/usage/usage-reader.js';
import { Clock } from '../platform/common/clock.js';
import { weekOf, type CeremonyCount } from '../events/ceremony-counts/ceremony-count.entity.js';
import { CeremonyCounts } from '../events/ceremony-counts/ceremony-counts.js';
import { dateOf } from '../billing/usage/calendar.js';
import { HourlyEventCounts } from '../events/hourly-event-counts.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { HOUR_MS, DAY_MS } from '../platform/common/durations.js';
import { mapKey } from '../platform/database/row-ids.js';
import type { CeremoniesView } from './adoption.answer.js';

const HOURS = 7 * 24;
const WEEKS = 12;

/** The number of ceremonies of a week, kind, browser and detail that reached a step. */
export type CeremonySum = Pick<
  CeremonyCount,
  'week' | 'kind' | 'step' | 'browser' | 'detail' | 'n'
>;

/** Reads the steps that ceremonies reached, from the ledger and from separate counts. */
@Injectable()
export class CeremonyReader {
  constructor(
    private readonly events: HourlyEventCounts,
    private readonly counts: CeremonyCounts,
    private readonly usage: UsageReader,
    private readonly clock: Clock,
  ) {}

  async answered({ id }: RelyingParty): Promise<CeremoniesView> {
    const rp = mapKey(id);
    const counts = (await this.events.lastHours(HOURS)).filter((one) => one.relyingParty === rp);
    const sum = (kind: string, code?: string) =>
      counts
        .filter((one) => one.kind === kind && (code === undefined || one.code === code))
        .reduce((total, { n }) => total + n, 0);
    const refused = counts.filter(({ kind }) => kind.endsWith('-refused'));
    const codes = [...new Set(refused.flatMap(({ code }) => code ?? []))].sort();
    return {
      since: new Date((Math.floor(this.clock.now() / HOUR_MS) - HOURS) * HOUR_MS).toISOString(),
      registrations: { finished: sum('registration'), refused: sum('registration-refused') },
      authentications: { finished: sum('authentication'), refused: sum('authentication-refused') },
      refusals: codes.map((errorCode) => ({
        errorCode,
        registrations: sum('registration-refused', errorCode),
        authentications: sum('authentication-refused', errorCode),
      })),
    };
  }

  /** The Mondays of the last weeks, in days since 1970, oldest first. */
  weeks(): readonly number[] {
    const now = weekOf(this.clock.now());
    return Array.from({ length: WEEKS }, (_, n) => now - (WEEKS - 1 - n) * 7);
  }

  /** The ceremonies of the last weeks, by the step that they reached. */
  sums(rp: RelyingParty): Promise<readonly CeremonySum[]> {
    return this.counts.read(rp, this.weeks()[0] ?? 0);
  }

  /** Registrations in the ledger by week (its Monday's date), whether or not their keys still exist. */
  async registrations(rp: RelyingParty): Promise<ReadonlyMap<string, number>> {
    const [first = 0] = this.weeks();
    const today = Math.floor(this.clock.now() / DAY_MS);
    const byWeek = new Map<string, number>();
    for (const { date, registrations } of await this.usage.lastDaysOf(rp, today - first + 1)) {
      const week = dateOf(weekOf(Date.parse(date)));
      byWeek.set(week, (byWeek.get(week) ?? 0) + registrations);
    }
    return byWeek;
  }
}
