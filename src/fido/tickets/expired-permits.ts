import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { Database } from '../../platform/database/database.js';
import { Leases, type LeasedRounds } from '../../platform/database/leases/leased-rounds.js';
import { EXPIRED_INVITATIONS, EXPIRED_TICKETS } from './ticket.statements.js';

const EVERY_MS = 60_000;
/** Small enough that sign-ins which share the connection do not notice. */
const BATCH = 200;
const PAUSE_MS = 10;
const HOUR_MS = 3_600_000;

const PERMITS = [
  // Kept for as long as a ceremony can live: one that began in time must find its ticket at its end.
  { ...EXPIRED_TICKETS, keptMs: HOUR_MS },
  // Kept so that an old link still shows what became of its invitation, and the help desk sees it.
  { ...EXPIRED_INVITATIONS, keptMs: 30 * 24 * HOUR_MS },
];
type Permit = (typeof PERMITS)[number];

/**
 * Deletes tickets and invitations that expired long ago. It can be stopped at any point, and two instances
 * that do it at the same time do no harm.
 */
@Injectable()
export class ExpiredPermits {
  private readonly rounds: LeasedRounds;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    leases: Leases,
  ) {
    this.rounds = leases.rounds('expired-permits', {
      everyMs: EVERY_MS,
      work: () => this.catchUp(() => this.rounds.hold()),
      again: 'Old tickets are deleted in a minute',
      context: 'Tickets',
    });
  }

  /**
   * Deletes all of them; without `mayGoOn` regardless of who holds the lease.
   *
   * @throws the driver's error; what was deleted until then stays so
   */
  async catchUp(mayGoOn: () => boolean | Promise<boolean> = () => true): Promise<void> {
    for (const permit of PERMITS) {
      for (let ids = await this.idsOf(permit); ids.length > 0; ids = await this.idsOf(permit)) {
        if (!(await mayGoOn())) return;
        await this.database.commit([permit.remove.step({ ids })], { background: true });
        await pause(PAUSE_MS);
      }
    }
  }

  private async idsOf({ find, keptMs }: Permit): Promise<readonly Buffer[]> {
    const params = { until: this.clock.now() - keptMs, limit: BATCH };
    return (await this.database.query(find, params)).map(({ id }) => id);
  }
}
