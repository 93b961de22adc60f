import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { RecurringJob } from '../common/recurring-job.js';
import type { Unit } from './commit/unit.js';
import { Database } from './database.js';
import { select, sql } from './statement.js';
import { CacheVersionEntity } from './entities/server.entity.js';
import { tableOf } from './entities/table.js';

const versions = tableOf(CacheVersionEntity);

/**
 * No other statement reads this row: as part of a statement that writes, the read would wait for changes in progress.
 */
const CACHE_VERSION = select(versions.pick('version')).from(
  `${versions.from} WHERE ${versions.id} = 1`,
);

/**
 * Increases the version: the last step of each change of the data, so that its row is locked as briefly as possible.
 */
export const RAISE_CACHE_VERSION = sql(`UPDATE ${versions.from}
  SET ${versions.version} = ${versions.version} + 1 WHERE ${versions.id} = 1`).step({});

const POLL_MS = 2_000;
/** Instances of earlier versions change the data without increasing the version. */
const REREAD_AFTER_POLLS = 15;

type Refresh = () => Promise<unknown>;

/**
 * The version of the data that every instance keeps in memory: tenants, relying parties, the whitelist and
 * signing keys. Each change increases it in its own unit, so the order of versions is the order of commits, whatever
 * the clocks say. Two equal versions mean that nothing was committed in between.
 */
@Injectable()
export class CacheVersion extends RecurringJob implements OnApplicationBootstrap {
  private readonly refreshes: Refresh[] = [];
  private known: number | undefined;
  private pollsSinceRefresh = 0;

  constructor(private readonly database: Database) {
    super({
      everyMs: POLL_MS,
      retryMessage: 'The cached data could not be read again',
      level: 'debug',
      inCommands: true,
    });
  }

  /** Must be read before the data that a caller keeps in memory. */
  async read(): Promise<number> {
    const [row] = await this.database.query(CACHE_VERSION);
    if (row === undefined) throw new Error('The table directory_version has no row.');
    return row.version;
  }

  /**
   * Stores a change of the data that the server makes itself.
   *
   * @returns as `Database.commit`
   */
  commit(change: Unit): Promise<boolean> {
    return this.database.commit([...change, RAISE_CACHE_VERSION], { ownTransaction: true });
  }

  /** Lets this instance see a stored change at once. If that fails, the next round does it: the change counts already. */
  async show(refresh: Refresh): Promise<void> {
    try {
      await refresh();
    } catch (error) {
      Logger.debug(`A stored change is not in use here yet: ${String(error)}`, CacheVersion.name);
    }
  }

  /** Calls `refresh` within seconds of each change that any process has made. */
  registerRefresh(refresh: Refresh): void {
    this.refreshes.push(refresh);
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  protected override async work(): Promise<void> {
    const version = await this.read();
    this.pollsSinceRefresh += 1;
    if (version === this.known && this.pollsSinceRefresh < REREAD_AFTER_POLLS) return;
    await Promise.all(this.refreshes.map((refresh) => refresh()));
    this.known = version;
    this.pollsSinceRefresh = 0;
  }
}
