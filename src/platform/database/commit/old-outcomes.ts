import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { idFrom } from '../columns.js';
import { Database } from '../database.js';
import { Leases, type LeasedRounds } from '../leases/leased-rounds.js';
import { DELETE_OUTCOMES, FIND_OLD_OUTCOMES } from './unit-outcomes.js';

const EVERY_MS = 600_000;
/** An answer that was lost is asked for within seconds; but clocks of instances differ. */
const KEPT_MS = 24 * 3_600_000;
/** Small enough that sign-ins which share the connection do not notice. */
const BATCH = 200;
const PAUSE_MS = 10;

/** Deletes the outcomes of units that were answered long ago. */
@Injectable()
export class OldOutcomes {
  private readonly rounds: LeasedRounds;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    leases: Leases,
  ) {
    this.rounds = leases.rounds('old-outcomes', {
      everyMs: EVERY_MS,
      work: () => this.catchUp(() => this.rounds.hold()),
      again: 'Old outcomes are deleted in ten minutes',
      context: 'Database',
    });
  }

  /**
   * Deletes all of them; without `mayGoOn` regardless of who holds the lease.
   *
   * @throws the driver's error; what was deleted until then stays so
   */
  async catchUp(mayGoOn: () => boolean | Promise<boolean> = () => true): Promise<void> {
    const until = idFrom(this.clock.now() - KEPT_MS);
    for (;;) {
      const found = await this.database.query(FIND_OLD_OUTCOMES, { until, limit: BATCH });
      if (found.length === 0 || !(await mayGoOn())) return;
      const ids = found.map(({ id }) => id);
      await this.database.commit([DELETE_OUTCOMES.step({ ids })], { background: true });
      await pause(PAUSE_MS);
    }
  }
}
