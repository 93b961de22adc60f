import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { Database } from '../../platform/database/database.js';
import { END_OF_TIME, idFrom } from '../../platform/database/row-ids.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { tableSize } from '../../platform/database/server-facts.js';
import { EventEntity } from '../../events/event.entity.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { COUNTING_DELAY_MS, RollUp } from '../usage/roll-up.js';
import { UsageReader, type UsageRun } from '../usage/usage-reader.js';
import { UsageStore } from '../usage/usage-store.js';
import { DAY_MS } from '../../platform/common/durations.js';
import type { EstimateAnswer } from './estimate.answer.js';
import { COUNT_SOME_EVENTS, SIZE_OF_TENANTS } from './estimate.statements.js';

const EVENTS = tableOf(EventEntity).from;
/** The maximum number of events that are counted one by one, which takes a few milliseconds; more are estimated. */
const COUNTABLE = 20_000;

/** Costs of an invoice, in milliseconds, as measured: see docs/billing.md. */
const FIXED_MS = 4;
const MS_PER_PARTY = 0.02;
const MS_PER_EVENT = 0.002;

interface Size {
  readonly relyingParties: number;
  /** Events too young for the final count: each answer counts them. */
  readonly young: number;
  /** Events that get their final count before the answer, and the number of their days. */
  readonly backlog: number;
  readonly days: number;
}

/** Estimates the duration of an invoice from counts and the last invoice of this process. */
@Injectable()
export class Estimate {
  constructor(
    @InjectRepository(RelyingPartyEntity)
    private readonly relyingParties: Repository<RelyingPartyEntity>,
    private readonly database: Database,
    private readonly store: UsageStore,
    private readonly rollUp: RollUp,
    private readonly usage: UsageReader,
    private readonly clock: Clock,
  ) {}

  /** Estimates an invoice. For an account limited to tenants, only the data of these tenants is counted. */
  async answer({ tenants }: Account): Promise<Pick<EstimateAnswer, 'estimateMs' | 'basis'>> {
    const size = tenants ? await this.sizeOf(tenants) : await this.size();
    const counting = this.rollUp.expectedMs(size.backlog, size.days);
    const { lastRun } = this.usage;
    return {
      estimateMs: Math.ceil(counting + typicalMs(size) * slownessIn(lastRun)),
      basis: {
        relyingParties: size.relyingParties,
        events: size.young + size.backlog,
        lastRunMs: tenants || !lastRun ? null : Math.ceil(lastRun.ms),
      },
    };
  }

  private async size(): Promise<Size> {
    const upto = Math.max(await this.store.upto(), await this.firstEvent());
    const old = Math.max(upto, this.clock.now() - COUNTING_DELAY_MS);
    const [relyingParties, young, backlog] = await Promise.all([
      this.relyingParties.count(),
      this.count(old),
      this.count(upto, old),
    ]);
    return { relyingParties, young, backlog, days: Math.ceil((old - upto) / DAY_MS) };
  }

  /**
   * The size of some tenants. All their uncounted events count as young, since the backlog is shared by all
   * tenants.
   */
  private async sizeOf(tenants: readonly string[]): Promise<Size> {
    const upto = await this.store.upto();
    const [row] = await this.database.query(SIZE_OF_TENANTS, { names: tenants, from: upto });
    const { relyingParties = 0, events = 0 } = row ?? {};
    return { relyingParties, young: events, backlog: 0, days: 0 };
  }

  /** The number of events in a range: counted if there are few, otherwise estimated from the size of the table. */
  private async count(from: number, to = END_OF_TIME): Promise<number> {
    const range = { from: idFrom(from), to: idFrom(to), most: COUNTABLE };
    const [row] = await this.database.query(COUNT_SOME_EVENTS, range);
    const n = row?.n ?? 0;
    return n < COUNTABLE ? n : Math.max(n, await this.share(from, Math.min(to, this.clock.now())));
  }

  /** Estimates the events of a range as if all events were spread evenly over time. */
  private async share(from: number, to: number): Promise<number> {
    const first = await this.firstEvent();
    const part = (to - Math.max(from, first)) / Math.max(1, this.clock.now() - first);
    return Math.round(part * (await tableSize(this.database, EVENTS)));
  }

  /** The time of the first event; 0 without events. */
  private async firstEvent(): Promise<number> {
    return (await this.store.nthEvent(0, 0)) ?? 0;
  }
}

const typicalMs = ({ relyingParties, young }: Pick<Size, 'relyingParties' | 'young'>): number =>
  FIXED_MS + MS_PER_PARTY * relyingParties + MS_PER_EVENT * young;

/** The ratio of durations on this server to those of `typicalMs`; 1 before the first invoice. */
const slownessIn = (lastRun: UsageRun | undefined): number =>
  lastRun ? lastRun.ms / typicalMs(lastRun) : 1;
