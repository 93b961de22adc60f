import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { BufferedWrites } from '../../platform/database/commit/buffered-writes.js';
import { Database } from '../../platform/database/database.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { weekOf, type CeremonyCount } from './ceremony-count.entity.js';
import { ADD_TO_COUNT, COUNTS_SINCE } from './ceremony-count.statements.js';

/** The maximum loss in a crash: the counts of ten seconds. */
const FLUSH_MS = 10_000;
/** The maximum number of pending sums; more are not counted until these are stored. */
const MAX_WAITING = 5_000;
const SUMS_PER_UNIT = 100;

type CeremonyStep = Pick<CeremonyCount, 'kind' | 'step' | 'browser'> & {
  readonly detail?: string;
};

type Sum = Omit<CeremonyCount, 'relyingPartyId' | 'tenantId'>;
interface PendingSum extends Sum {
  readonly rp: ScopeOwner;
}

/**
 * Counts ceremonies that leave no event. No request waits for this: each instance keeps sums in memory and
 * adds them to the database every ten seconds. The figures are statistics, not for billing, so counts that
 * are lost in a crash, or while the database is unavailable, are not recovered.
 */
@Injectable()
export class CeremonyCounts extends BufferedWrites {
  private readonly logger = new Logger(CeremonyCounts.name);
  private waiting = new Map<string, PendingSum>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super(FLUSH_MS);
  }

  add(rp: ScopeOwner, { kind, step, browser, detail = '' }: CeremonyStep): void {
    const week = weekOf(this.clock.now());
    const key = `${mapKey(rp.id)} ${week} ${kind} ${step} ${browser} ${detail}`;
    const known = this.waiting.get(key);
    if (known) known.n += 1;
    else if (this.waiting.size < MAX_WAITING)
      this.waiting.set(key, { rp, week, kind, step, browser, detail, n: 1 });
    this.flushLater();
  }

  /** Reads the sums of a relying party from a week on, including the pending ones of this instance. */
  async read(rp: ScopeOwner, week: number): Promise<readonly Sum[]> {
    await this.flush();
    return this.database.query(COUNTS_SINCE, { ...scope(rp), week });
  }

  protected async store(): Promise<void> {
    const steps = [...this.waiting.values()].map((sum) => this.stepOf(sum));
    this.waiting = new Map();
    try {
      for (let at = 0; at < steps.length; at += SUMS_PER_UNIT) {
        await this.database.store(steps.slice(at, at + SUMS_PER_UNIT), { background: true });
      }
    } catch (error) {
      this.logger.warn(`Some ceremonies are not counted: ${String(error)}`);
    }
  }

  private stepOf({ rp, ...sum }: PendingSum): Step {
    return ADD_TO_COUNT[this.database.kind].step({ ...scope(rp), ...sum });
  }
}
