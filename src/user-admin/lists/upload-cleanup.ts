import { setTimeout as pause } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThanOrEqual, type Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { deleteStep } from '../../platform/database/commit/step-of.js';
import { Database } from '../../platform/database/database.js';
import { UploadLine, UploadEntity } from './upload.entity.js';

const EVERY_MS = 60_000;
/** Lines that one statement deletes. */
const BATCH = 1000;
const PAUSE_MS = 10;

/** Deletes expired lists, in batches. It can stop anywhere; two instances at once do no harm. */
@Injectable()
export class UploadCleanup implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private asked = false;
  private stopped = false;

  constructor(
    @InjectRepository(UploadEntity) private readonly uploads: Repository<UploadEntity>,
    @InjectRepository(UploadLine) private readonly lines: Repository<UploadLine>,
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

  /** Deletes expired lists; a sweep that is under way looks for them once more. */
  sweep(): Promise<void> {
    this.asked = true;
    this.running ??= this.deleteExpired()
      .catch((error: unknown) => Logger.warn(`Old uploads stay for now: ${String(error)}`, 'Users'))
      .finally(() => (this.running = undefined));
    return this.running;
  }

  private async deleteExpired(): Promise<void> {
    while (this.asked && !this.stopped) {
      this.asked = false;
      for (const { id } of await this.expired()) await this.remove(id);
    }
  }

  private expired(): Promise<Pick<UploadEntity, 'id'>[]> {
    const where = { expiresAt: LessThanOrEqual(this.clock.now()) };
    return this.uploads.find({ select: { id: true }, where });
  }

  private async remove(id: Buffer): Promise<void> {
    const last = (await this.lines.maximum('line', { uploadId: id })) ?? 0;
    for (let end = BATCH; end < last + BATCH && !this.stopped; end += BATCH) {
      const these = { uploadId: id, line: LessThanOrEqual(end) };
      await this.database.commit([deleteStep(this.lines, these)], { background: true });
      await pause(PAUSE_MS);
    }
    if (this.stopped) return;
    await this.database.commit([deleteStep(this.uploads, { id })]);
  }
}
