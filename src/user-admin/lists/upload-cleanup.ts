import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Database } from '../../database/database.js';

const EVERY_MS = 60_000;
/** Lines of one statement. */
const BATCH = 1000;
const PAUSE_MS = 10;

/** Deletes lists whose time is over, in batches. It can stop anywhere; two instances do no harm. */
@Injectable()
export class UploadCleanup implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private asked = false;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), EVERY_MS);
    this.timer.unref();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** Deletes what is over; a sweep under way looks once more. */
  sweep(): Promise<void> {
    this.asked = true;
    this.running ??= this.deleteExpired()
      .catch((error: unknown) => Logger.warn(`Old uploads stay for now: ${String(error)}`, 'Users'))
      .finally(() => (this.running = undefined));
    return this.running;
  }

  private async deleteExpired(): Promise<void> {
    const expired = this.database.query<{ id: Buffer }>(
      'SELECT id FROM uploads WHERE expires_at <= ?',
    );
    while (this.asked && !this.stopped) {
      this.asked = false;
      for (const { id } of await expired.all(this.clock.now())) await this.remove(id);
    }
  }

  private async remove(id: Buffer): Promise<void> {
    const last = this.database.query<{ line: number | null }>(
      'SELECT MAX(line) AS line FROM upload_lines WHERE upload_id = ?',
    );
    const [{ line } = { line: null }] = await last.all(id);
    for (let end = BATCH; line !== null && end < line + BATCH && !this.stopped; end += BATCH) {
      await this.database.commit([
        { sql: 'DELETE FROM upload_lines WHERE upload_id = ? AND line <= ?', params: [id, end] },
      ]);
      await pause(PAUSE_MS);
    }
    if (this.stopped) return;
    await this.database.commit([{ sql: 'DELETE FROM uploads WHERE id = ?', params: [id] }]);
  }
}
