import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PAUSE_MS, type ShouldContinue } from '../../platform/database/commit/delete-in-units.js';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/jobs/leased-job.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../relying-party.js';
import {
  CLOSED_WITH_USERS,
  DELETE_CREDENTIALS_OF,
  DELETE_USERS,
  USERS_LEFT_BEHIND,
} from '../tenancy.statements.js';

const EVERY_MS = 10_000;
/** Few enough that other tenants do not notice, on Galera too. */
const ROWS_PER_UNIT = 200;

/**
 * Deletes the data of closed relying parties in small units: a cascade over 100,000 users stalls every
 * other tenant for seconds. The job can stop at any point, and any instance can continue it. A lease spares instances
 * the same work, but nothing depends on it: two may delete at the same time.
 */
@Injectable()
export class TenantRemoval extends LeasedJob {
  constructor(private readonly database: Database) {
    super(database, {
      name: 'tenant-removal',
      everyMs: EVERY_MS,
      retryMessage: 'A removal goes on in ten seconds',
    });
  }

  protected override work(): Promise<void> {
    return this.catchUp(() => this.hold());
  }

  /** A server that is restarted often would otherwise never finish. */
  override onApplicationBootstrap(): void {
    this.start(0);
  }

  /**
   * Deletes everything that is left, without regard to the lease. Tenants take turns after each unit, so that a large
   * removal delays no other.
   *
   * @param mayGoOn called before each unit; `false` stops
   * @throws the driver's error; rows deleted until then stay deleted
   */
  async catchUp(mayGoOn: ShouldContinue = () => true): Promise<void> {
    for (;;) {
      const left = await this.database.query(CLOSED_WITH_USERS);
      if (left.length === 0) return;
      const byTenant = Map.groupBy(left, ({ tenantId }) => mapKey(tenantId));
      for (const [rp] of byTenant.values()) {
        if (!rp || !(await mayGoOn())) return;
        await this.deleteSome(rp);
      }
    }
  }

  private async deleteSome({ id }: Pick<RelyingParty, 'id'>): Promise<void> {
    const users = await this.database.query(USERS_LEFT_BEHIND, { id, limit: ROWS_PER_UNIT });
    const userIds = users.map((user) => user.id);
    const steps = [DELETE_CREDENTIALS_OF.step({ userIds }), DELETE_USERS.step({ userIds })];
    if (userIds.length > 0) await this.database.store(steps, { background: true });
    await pause(PAUSE_MS);
  }
}
