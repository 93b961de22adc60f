import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThanOrEqual, type Repository } from 'typeorm';
import { Batches } from '../../batches/batches.js';
import { RecurringJob } from '../../platform/common/recurring-job.js';
import { deleteStep, mustChange, updateStep } from '../../platform/database/commit/step-of.js';
import { Database } from '../../platform/database/database.js';
import { isClockWrong } from '../../platform/database/server-facts.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { UploadLines } from './upload-lines.js';
import { UploadLine, UploadEntity } from './upload.entity.js';

const EVERY_MS = 60_000;
const LINES_PER_STATEMENT = 1000;
const PAUSE_MS = 10;

/**
 * Deletes expired lists on which no batch works, in small units. It can stop at any point, and two instances may run it at
 * the same time: a call that stores many lists waits for it on its own instance.
 */
@Injectable()
export class UploadCleanup extends RecurringJob implements OnApplicationBootstrap {
  constructor(
    @InjectRepository(UploadEntity) private readonly uploads: Repository<UploadEntity>,
    @InjectRepository(UploadLine) private readonly rows: Repository<UploadLine>,
    private readonly lines: UploadLines,
    private readonly batches: Batches,
    private readonly database: Database,
  ) {
    super({ everyMs: EVERY_MS, retryMessage: 'Old uploads stay for now' });
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  protected override async work(): Promise<void> {
    if (this.isShuttingDown) return;
    // A clock that is ahead would delete lists that are in use, but not those that a call has expired.
    const until = (await isClockWrong(this.database)) ? 0 : this.clock.now();
    const where = { expiresAt: LessThanOrEqual(until) };
    const expired = await this.uploads.find({ select: { id: true, expiresAt: true }, where });
    // Read after the lists: a batch that starts later has extended its list, which `remove` notices.
    const busy = await this.batches.targetsUnderWay();
    for (const one of expired) if (!busy.has(mapKey(one.id))) await this.remove(one);
  }

  private async remove({ id, expiresAt }: Pick<UploadEntity, 'id' | 'expiresAt'>): Promise<void> {
    // Another instance, whose clock is behind, may have begun to delete its users.
    const over = mustChange(updateStep(this.uploads, { id, expiresAt }, { expiresAt: 0 }));
    if (!(await this.database.commit([over]))) return;
    // A file may have many more lines than the list: blank lines are counted and not stored.
    for await (const lines of this.lines.slices({ id }, LINES_PER_STATEMENT)) {
      if (this.isShuttingDown) return;
      const these = { uploadId: id, line: LessThanOrEqual(lines.at(-1)?.line ?? 0) };
      await this.database.store([deleteStep(this.rows, these)], { background: true });
      await pause(PAUSE_MS);
    }
    if (this.isShuttingDown) return;
    await this.database.store([deleteStep(this.uploads, { id }), this.batches.removeStep({ id })]);
  }
}
