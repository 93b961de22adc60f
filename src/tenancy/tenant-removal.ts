import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Database } from '../database/database.js';
import { padded } from '../database/padded.js';
import { LEFT_BEHIND, deleteCredentialsOf, deleteUsers } from './tenancy.statements.js';

/** Small enough that other tenants do not notice, on Galera too. */
const BATCH = 200;
const PAUSE_MS = 10;
const RETRY_MS = 10_000;

/**
 * Deletes what closed relying parties still hold, in small batches: a cascade over 100,000 users
 * stalls every other tenant for seconds. It can stop anywhere and goes on later; two instances at it
 * do no harm.
 */
@Injectable()
export class TenantRemoval implements OnApplicationBootstrap, OnModuleDestroy {
  private running: Promise<void> | undefined;
  private asked = false;
  private stopped = false;

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    this.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** Begins in the background; what is under way looks once more. */
  start(): void {
    if (this.stopped) return;
    this.asked = true;
    this.running ??= this.run();
  }

  /** Resolves when what was begun is done. */
  async finished(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      while (this.asked && !this.stopped) {
        this.asked = false;
        await this.deleteLeftovers();
      }
    } catch (error) {
      Logger.warn(`A removal stopped and is tried again: ${String(error)}`, 'Tenancy');
      setTimeout(() => this.start(), RETRY_MS).unref();
    } finally {
      this.running = undefined;
    }
  }

  private async deleteLeftovers(): Promise<void> {
    const leftBehind = this.database.query<{ id: Buffer }>(LEFT_BEHIND);
    while (!this.stopped) {
      const users = await leftBehind.all(BATCH);
      if (users.length === 0) return;
      const ids = padded(users.map(({ id }) => id));
      await this.database.commit([
        { sql: deleteCredentialsOf(ids), params: ids },
        { sql: deleteUsers(ids), params: ids },
      ]);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
