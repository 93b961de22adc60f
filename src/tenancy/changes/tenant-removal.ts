import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Query } from '../../platform/database/database.js';
import { Leases } from '../../platform/database/leases/leases.js';
import type { LeasedRounds } from '../../platform/database/leases/leased-rounds.js';
import { padded } from '../../platform/database/padded.js';
import { LEFT_BEHIND, deleteCredentialsOf, deleteUsers } from '../tenancy.statements.js';

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
export class TenantRemoval implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly rounds: LeasedRounds;
  private readonly leftBehind: Query<{ readonly id: Buffer }>;
  /** Rounds go one after the other: what is closed during one is seen by the next. */
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    leases: Leases,
  ) {
    this.rounds = leases.rounds('tenant-removal', {
      ...{ everyMs: EVERY_MS, work: () => this.work() },
      ...{ again: 'A removal goes on in ten seconds', context: 'Tenancy' },
    });
    this.leftBehind = database.query(LEFT_BEHIND, { patienceMs: 10_000 });
  }

  onApplicationBootstrap(): void {
    this.start();
    this.rounds.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.rounds.stop(() => this.last);
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
      const users = await this.leftBehind.all(BATCH);
      if (users.length === 0 || !(await mayGoOn())) return;
      const ids = padded(users.map(({ id }) => id));
      const unit = [
        { sql: deleteCredentialsOf(ids), params: ids },
        { sql: deleteUsers(ids), params: ids },
      ];
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
