import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { randomText } from '../common/random.js';
import { RecurringJob } from '../common/recurring-job.js';
import { OutcomeUnknown } from './commit/commit-idempotently.js';
import { isUniqueViolation } from './commit/unique-violation.js';
import type { Unit } from './commit/unit.js';
import { Database } from './database.js';
import { SharedRecords, setRecord } from './shared-records.js';
import { sql } from './statement.js';
import type { NoParams } from './statement.js';
import { tableOf } from './entities/table.js';
import { SMALL, WHOLE } from './entities/column-types.js';

/**
 * One row, which a migration made: raised by each change of tenants, relying parties, application keys, the
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
 * No other statement reads this row: as part of a statement that writes, the read would wait for changes that
 * are under way.
 */
const DIRECTORY_VERSION = sql<NoParams, { version: number }>(
  `SELECT ${directory.version} FROM ${directory.from} WHERE ${directory.id} = 1`,
);

const RAISE_DIRECTORY_VERSION = sql(`UPDATE ${directory.from}
  SET ${directory.version} = ${directory.version} + 1 WHERE ${directory.id} = 1`);

const POLL_MS = 2_000;
/** Instances of earlier versions change the directory without raising its version. */
const REREAD_AFTER_POLLS = 15;
/** The record that each change replaces by a text of its own. */
const LAST_CHANGE = 'directory-change';
const newMark = () => randomText(16);

type Refresh = () => Promise<unknown>;

/**
 * The version of what every instance keeps in memory: tenants, relying parties, the whitelist, signing keys.
 * Each change raises it in its own unit, so the order of versions is the order of commits, whatever the clocks
 * say. Two equal versions mean that nothing was committed in between.
 */
@Injectable()
export class DirectoryVersion implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly followers: Refresh[] = [];
  private readonly polls = new RecurringJob(() => this.poll(), POLL_MS);
  private known: number | undefined;
  private pollsSinceRefresh = 0;

  constructor(
    private readonly database: Database,
    private readonly records: SharedRecords,
  ) {}

  /** To be read before the data that a caller keeps in memory. */
  async read(): Promise<number> {
    const [row] = await this.database.query(DIRECTORY_VERSION);
    if (row === undefined) throw new Error('The table directory_version has no row.');
    return row.version;
  }

  /**
   * Stores a change of the directory. The version is raised last, so that its row is locked as briefly as
   * possible. Where the answer to the commit is lost, the change is tried once more; its mark then shows
   * whether the first try is what refuses the second one.
   *
   * @returns as `Database.commit`
   */
  async commit(change: Unit): Promise<boolean> {
    await this.records.findOrCreate(LAST_CHANGE, newMark);
    const mark = newMark();
    const store = () =>
      this.database.commit([...change, setRecord(LAST_CHANGE, mark), RAISE], { apart: true });
    try {
      return await store();
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || error.hangs) throw error;
    }
    const isStored = async () => (await this.records.find(LAST_CHANGE)) === mark;
    try {
      return (await store()) || (await isStored());
    } catch (error) {
      if (isUniqueViolation(error) && (await isStored())) return true;
      throw error;
    }
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
    try {
      const version = await this.read();
      this.pollsSinceRefresh += 1;
      if (version === this.known && this.pollsSinceRefresh < REREAD_AFTER_POLLS) return;
      await Promise.all(this.followers.map((refresh) => refresh()));
      this.known = version;
      this.pollsSinceRefresh = 0;
    } catch (error) {
      Logger.debug(`The directory could not be read again: ${String(error)}`, 'Tenancy');
    }
  }
}

const RAISE = RAISE_DIRECTORY_VERSION.step({});
