import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RecurringJob } from '../common/recurring-job.js';
import type { Unit } from './commit/unit.js';
import { Database } from './database.js';
import { sql, type NoParams } from './statement.js';
import { tableOf } from './entities/table.js';
import { SMALL, WHOLE } from './entities/column-types.js';

/**
 * One row, created by a migration: increased by each change of tenants, relying parties, application keys, the
 * whitelist and signing keys.
 */
@Entity('directory_version')
export class DirectoryVersionEntity {
  @PrimaryColumn(SMALL)
  id!: number;

  @Column(WHOLE)
  version!: number;
}

const directory = tableOf(DirectoryVersionEntity);

/**
 * No other statement reads this row: as part of a statement that writes, the read would wait for changes in progress.
 */
const DIRECTORY_VERSION = sql<NoParams, { version: number }>(
  `SELECT ${directory.version} FROM ${directory.from} WHERE ${directory.id} = 1`,
);

const RAISE_DIRECTORY_VERSION = sql(`UPDATE ${directory.from}
  SET ${directory.version} = ${directory.version} + 1 WHERE ${directory.id} = 1`);

const POLL_MS = 2_000;
/** Instances of earlier versions change the directory without increasing its version. */
const REREAD_AFTER_POLLS = 15;

type Refresh = () => Promise<unknown>;

/**
 * The version of the data that every instance keeps in memory: tenants, relying parties, the whitelist, signing keys.
 * Each change increases it in its own unit, so the order of versions is the order of commits, whatever the clocks
 * say. Two equal versions mean that nothing was committed in between.
 */
@Injectable()
export class DirectoryVersion implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly followers: Refresh[] = [];
  private readonly polls = new RecurringJob({
    everyMs: POLL_MS,
    work: () => this.poll(),
    retryMessage: 'The directory could not be read again',
    context: 'Tenancy',
    level: 'debug',
  });
  private known: number | undefined;
  private pollsSinceRefresh = 0;

  constructor(private readonly database: Database) {}

  /** Must be read before the data that a caller keeps in memory. */
  async read(): Promise<number> {
    const [row] = await this.database.query(DIRECTORY_VERSION);
    if (row === undefined) throw new Error('The table directory_version has no row.');
    return row.version;
  }

  /**
   * Stores a change of the directory. The version is increased last, so that its row is locked as briefly as
   * possible.
   *
   * @returns as `Database.commit`
   */
  commit(change: Unit): Promise<boolean> {
    return this.database.commit([...change, RAISE], { apart: true });
  }

  /** Calls `refresh` within seconds of each change that any process has made. */
  follow(refresh: Refresh): void {
    this.followers.push(refresh);
  }

  onApplicationBootstrap(): void {
    this.polls.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.polls.stop();
  }

  private async poll(): Promise<void> {
    const version = await this.read();
    this.pollsSinceRefresh += 1;
    if (version === this.known && this.pollsSinceRefresh < REREAD_AFTER_POLLS) return;
    await Promise.all(this.followers.map((refresh) => refresh()));
    this.known = version;
    this.pollsSinceRefresh = 0;
  }
}

const RAISE = RAISE_DIRECTORY_VERSION.step({});
