import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Deletions } from '../../../users/deletions/deletions.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { ListDeletion, type ListOccasion } from '../../lists/list-deletion.js';
import { UploadStore, type Upload } from '../../lists/upload-store.js';
import { MAX_UNDONE } from '../deletion.view.js';

/**
 * Deletions that a page has started. The page does not wait for them, and shows their progress. A server
 * that shuts down stops its own deletions; the page of another instance can resume them.
 */
@Injectable()
export class ListRuns implements OnModuleDestroy {
  private readonly logger = new Logger(ListRuns.name);
  private readonly running = new Map<Upload, Promise<void>>();

  constructor(
    private readonly deletion: ListDeletion,
    private readonly store: UploadStore,
    private readonly deletions: Deletions,
  ) {}

  /** Starts or resumes a deletion; a second run of the same list does no harm. */
  start(upload: Upload, rp: RelyingParty, occasion: ListOccasion): void {
    const run = this.deletion
      .run(upload, rp, occasion)
      .then(() => undefined)
      .catch((error: unknown) => {
        this.logger.warn(`The deletion of a list has stopped: ${String(error)}`);
      })
      .finally(() => this.running.delete(upload));
    this.running.set(upload, run);
  }

  /** The number of a list's deletions that can be undone; at most as many as one call undoes. */
  async undoable({ id }: Upload): Promise<number> {
    return (await this.deletions.ofOccasion(id.toString('base64url'), MAX_UNDONE)).length;
  }

  async onModuleDestroy(): Promise<void> {
    const uploads = [...this.running.keys()];
    await Promise.allSettled(uploads.map((upload) => this.store.enter(upload, 'stopped', 'done')));
    await Promise.all(this.running.values());
  }
}
