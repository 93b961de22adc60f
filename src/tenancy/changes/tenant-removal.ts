import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Leases, type LeasedRounds } from '../../platform/database/leases/leased-rounds.js';
import { DELETE_CREDENTIALS_OF, DELETE_USERS, LEFT_BEHIND } from '../tenancy.statements.js';

const EVERY_MS = 10_000;
/** Small enough that other tenants do not notice, on Galera too. */
const BATCH = 200;
const PAUSE_MS = 10;

/**
 * Deletes what closed relying parties still hold, in small batches: a cascade over 100,000 users
 * stalls every other tenant for seconds. It can stop anywhere, and any instance goes on with it; two that
 * do it at once do no harm.
 */
@Injectable()
export class TenantRemoval implements OnApplicationBootstrap {
  private readonly rounds: LeasedRounds;
  /** Rounds go one after the other: what is closed during one is seen by the next. */
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    leases: Leases,
  ) {
    this.rounds = leases.rounds('tenant-removal', {
      everyMs: EVERY_MS,
      work: () => this.work(),
      farewell: () => this.last,
      again: 'A removal goes on in ten seconds',
      context: 'Tenancy',
    });
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  /** Begins in the background, unless another instance is at it. */
  start(): void {
    void this.rounds.round();
  }

  /**
   * Deletes all that is left, regardless of who holds the lease.
   *
   * @param mayGoOn asked before each batch
   * @throws the driver's error; what was deleted until then stays deleted
   */
  async catchUp(mayGoOn: () => boolean | Promise<boolean> = () => true): Promise<void> {
    for (;;) {
      const users = await this.database.query(LEFT_BEHIND, { limit: BATCH });
      if (users.length === 0 || !(await mayGoOn())) return;
      const userIds = users.map(({ id }) => id);
      const unit = [DELETE_CREDENTIALS_OF.step({ userIds }), DELETE_USERS.step({ userIds })];
      await this.database.commit(unit, { background: true });
      await pause(PAUSE_MS);
    }
  }

  private work(): Promise<void> {
    const round = this.last.then(() => this.catchUp(() => this.rounds.hold()));
    this.last = round.catch(() => undefined);
    return round;
  }
}
