import type { OnApplicationBootstrap } from '@nestjs/common';
import { RecurringJob, type JobSettings } from '../../common/recurring-job.js';
import { traceJob } from '../../telemetry/tracing.js';
import { randomText } from '../../common/random.js';
import type { Database } from '../database.js';
import { falseIfTaken } from '../commit/unique-violation.js';
import { select, sql } from '../statement.js';
import { tableOf } from '../entities/table.js';
import { LeaseEntity } from '../entities/server.entity.js';
import { ObservedRows } from './abandoned-rows.js';

const leases = tableOf(LeaseEntity);

const LEASE = select(leases.pick('holder', 'beat')).from<{ name: string }>(
  `${leases.from} WHERE ${leases.name} = :name`,
);

/** Throws if the job has a lease already. */
const FIRST_LEASE = sql<Pick<LeaseEntity, 'name' | 'holder'>>(`INSERT INTO ${leases.from}
  (${leases.list('name', 'holder', 'beat')}) VALUES (:name, :holder, 1)`);

/** Changes nothing if holder or beat have changed. */
const TAKE_LEASE = sql<LeaseEntity & { newHolder: string }>(`UPDATE ${leases.from}
  SET ${leases.holder} = :newHolder, ${leases.beat} = ${leases.beat} + 1
  WHERE ${leases.name} = :name AND ${leases.holder} = :holder AND ${leases.beat} = :beat`);

const GIVE_BACK_LEASE = sql<Pick<LeaseEntity, 'name' | 'holder'>>(`UPDATE ${leases.from}
  SET ${leases.holder} = '' WHERE ${leases.name} = :name AND ${leases.holder} = :holder`);

const FREE_LEASES = sql(`UPDATE ${leases.from} SET ${leases.holder} = ''`);

/** Releases the leases of processes that have ended: the caller knows that no other server uses the database. */
export const freeLeases = (database: Database): Promise<void> =>
  database.store([FREE_LEASES.step({})]);

/** All leases with their beats, which increase while servers run. */
export const LEASE_BEATS = select(leases.pick('name', 'beat')).from(
  `${leases.from} ORDER BY ${leases.name}`,
);

/** How often the row is read: to renew it, or to check that its holder still renews it. */
const LOOK_MS = 5_000;
/** How long a holder relies on the lease, counted from just before it was renewed. */
const RELY_MS = 10_000;

/**
 * The right to do a job that only one instance may do at a time. It belongs to the instance that holds the row and
 * renews it. When the row is abandoned (`ObservedRows`), another instance takes it.
 *
 * A process that was paused may continue for a moment after another has taken over, so work that must not be done twice
 * needs a compare-and-set of its own.
 */
export class Lease {
  private readonly me = randomText(12);
  private readonly observed: ObservedRows;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private renewedAt = Number.NEGATIVE_INFINITY;
  /** The current look; concurrent callers wait for its result. */
  private look: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly name: string,
    /** Milliseconds of a monotonic clock. */
    private readonly elapsed: () => number,
  ) {
    this.observed = new ObservedRows(elapsed);
  }

  /** Whether this process may continue work that it has begun; does not query the database. */
  get isHeld(): boolean {
    return this.elapsed() - this.renewedAt < RELY_MS;
  }

  /**
   * Whether this process may do the job; renews or takes the lease if that is due.
   *
   * @throws the driver's error
   */
  async hold(): Promise<boolean> {
    const now = this.elapsed();
    if (now - this.lookedAt >= LOOK_MS) {
      this.lookedAt = now;
      this.look = this.lookNow(now).finally(() => (this.look = undefined));
    }
    await this.look;
    return this.isHeld;
  }

  /** Releases the lease, so that another instance need not wait until this one seems dead. */
  async giveBack(): Promise<void> {
    if (this.renewedAt === Number.NEGATIVE_INFINITY) return;
    this.renewedAt = Number.NEGATIVE_INFINITY;
    await this.database.store([GIVE_BACK_LEASE.step({ name: this.name, holder: this.me })]);
  }

  private async lookNow(now: number): Promise<void> {
    if (await this.renewOrTake()) this.renewedAt = now;
  }

  private async renewOrTake(): Promise<boolean> {
    const [row] = await this.database.query(LEASE, { name: this.name });
    if (!row) return this.begin();
    const { holder, beat } = row;
    const isAbandoned = this.observed.isAbandoned(this.name, `${holder} ${beat}`);
    if (holder !== this.me && holder !== '' && !isAbandoned) return false;
    const take = TAKE_LEASE.mustChange({ name: this.name, holder, beat, newHolder: this.me });
    return this.database.commit([take], { background: true });
  }

  private begin(): Promise<boolean> {
    const first = FIRST_LEASE.step({ name: this.name, holder: this.me });
    return falseIfTaken(this.database.commit([first]));
  }
}

/** A job that only one instance does at a time, the holder of its lease, in rounds while the server runs. */
export abstract class LeasedJob extends RecurringJob implements OnApplicationBootstrap {
  private readonly lease: Lease;
  private readonly name: string;

  /** @param settings the name is the same on all instances */
  constructor(database: Database, settings: Omit<JobSettings, 'level'> & { name: string }) {
    super(settings);
    this.name = settings.name;
    this.lease = new Lease(database, settings.name, () => this.clock.elapsed());
  }

  protected override attempt(): Promise<void> {
    return traceJob(this.name, () => super.attempt());
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await this.onStop?.();
    await this.lease.giveBack().catch(() => undefined);
  }

  /** One round. It calls `hold` before it does what only one instance may do. */
  protected abstract override work(): Promise<void>;

  /** Ends work of earlier rounds that is still running when the server stops. */
  protected onStop?(): Promise<unknown>;

  /** Whether this process may continue work that it has begun; does not query the database. */
  protected get mayGoOn(): boolean {
    return !this.isShuttingDown && this.lease.isHeld;
  }

  /** As `Lease.hold`; `false` once the server stops. */
  protected async hold(): Promise<boolean> {
    return !this.isShuttingDown && (await this.lease.hold());
  }
}
