import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { allSettled } from '../platform/common/all-settled.js';
import { RecurringJob } from '../platform/common/recurring-job.js';
import type { ShouldContinue } from '../platform/database/commit/delete-in-units.js';
import { ObservedRows } from '../platform/database/jobs/abandoned-rows.js';
import { Database } from '../platform/database/database.js';
import { mapKey } from '../platform/database/row-ids.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import type { Batch } from './batch.entity.js';
import { Batches, isUnderWay } from './batches.js';
import type { BatchSlice, RowJob } from './row-job.js';

const EVERY_MS = 2_000;

/**
 * Works on batches slice by slice. The instance that starts or resumes a batch works on it. Each slice changes the
 * batch's row, and when the row is abandoned (`ObservedRows`), another instance continues at the last slice. On SQLite
 * there is only one instance, which continues all batches when it starts. Should two work on a batch, no row is
 * changed twice, and only one of them stores the progress.
 */
@Injectable()
export class BatchRunner extends RecurringJob implements OnApplicationBootstrap {
  /** The batches that this instance works on. */
  private readonly mine = new Set<string>();
  /** Those that it has started or resumed and not read yet: a reading that began before does not contain them. */
  private readonly taken = new Set<string>();
  private readonly observed = new ObservedRows(() => this.clock.elapsed());

  constructor(
    private readonly batches: Batches,
    private readonly relyingParties: RelyingPartyCache,
    private readonly database: Database,
  ) {
    super({ everyMs: EVERY_MS, retryMessage: 'Batches continue in a moment' });
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  /** Works on batches that this instance has started or resumed, without waiting for them. */
  take(batches: readonly Batch[]): void {
    for (const batch of batches) this.taken.add(keyOf(batch));
    void this.runNow();
  }

  /**
   * Works on a batch that is not stored, for a request that waits. Yields each slice with its outcomes, and stores its
   * further steps; those of the last slice are left to the caller, for a unit with the end of the request.
   */
  async *run<Row, Outcome>(
    job: RowJob<Row, Outcome>,
    batch: Batch,
  ): AsyncGenerator<{ readonly slice: BatchSlice<Row>; readonly outcomes: readonly Outcome[] }> {
    for (let at: Batch | undefined = batch; at;) {
      const now: Batch = at;
      const slice = await job.find(now);
      if (!slice) return;
      const outcomes = await allSettled(slice.rows.map((row) => job.change(now, row)));
      // The batch may have been stopped meanwhile.
      const goesOn =
        slice.next !== undefined && (await this.database.commit(slice.steps, { background: true }));
      yield { slice, outcomes: outcomes.filter((one) => one !== undefined) };
      at = goesOn ? { ...now, position: slice.next } : undefined;
    }
  }

  protected override async work(): Promise<void> {
    if (this.isShuttingDown) return;
    const mayGoOn = () => !this.isShuttingDown;
    await this.catchUp(mayGoOn, (batches) => this.ownOrAbandoned(batches));
  }

  /**
   * Completes batches. Tenants take turns after each slice, and so do the batches of a tenant, so that a large batch
   * delays no other.
   *
   * @param mayGoOn called before each slice; `false` stops
   * @param choose the batches to work on; all by default, whoever else works on them
   */
  async catchUp(
    mayGoOn: ShouldContinue = () => true,
    choose: (batches: readonly Batch[]) => readonly Batch[] = (batches) => batches,
  ): Promise<void> {
    if (!(await mayGoOn())) return;
    /** With the caller, which a resume replaces: then the batch is continued at once. */
    const ended = new Set<string>();
    const runOf = (batch: Batch): string => keyOf(batch) + batch.caller;
    /** The round in which a slice of a batch was last worked on. */
    const rounds = new Map<string, number>();
    const roundOf = (batch: Batch): number => rounds.get(keyOf(batch)) ?? 0;
    for (let round = 1; ; round += 1) {
      const batches = choose(await this.batches.underWay());
      const open = batches.filter((batch) => !ended.has(runOf(batch)));
      if (open.length === 0) return;
      // Another instance may have added the relying party of a batch.
      await this.relyingParties.catchUp();
      const byTenant = Map.groupBy(open, ({ tenantId }) => mapKey(tenantId));
      for (const ofTenant of byTenant.values()) {
        if (!(await mayGoOn())) return;
        const batch = ofTenant.reduce((one, other) =>
          roundOf(other) < roundOf(one) ? other : one,
        );
        rounds.set(keyOf(batch), round);
        const next = await this.slice(batch).catch((error: unknown) => {
          // It delays no other batch.
          Logger.warn(`A batch continues in a moment: ${String(error)}`, BatchRunner.name);
        });
        if (!next || !isUnderWay(next.state)) ended.add(runOf(batch));
      }
    }
  }

  /** @returns the batch after the slice; `undefined` if it was stopped, or the next round repeats the slice */
  private async slice(batch: Batch): Promise<Batch | undefined> {
    const job = this.batches.jobOf(batch);
    const slice = await job.find(batch);
    if (!slice) {
      await this.database.store([this.batches.stopAsReadStep(batch)]);
      return undefined;
    }
    const outcomes = await allSettled(slice.rows.map((row) => job.change(batch, row)));
    if (outcomes.includes(undefined)) return undefined;
    return this.batches.advance(batch, slice);
  }

  /** Chooses the batches of this instance, and those that no other instance seems to work on. */
  private ownOrAbandoned(batches: readonly Batch[]): readonly Batch[] {
    const names = new Set(batches.map(keyOf));
    this.observed.forgetOthers(names);
    const left = batches.filter((batch) => {
      const name = keyOf(batch);
      const { state, position, looked, changedKeys, undoneKeys } = batch;
      const row = [state, position.toString('hex'), looked, changedKeys, undoneKeys].join();
      const isAbandoned = this.observed.isAbandoned(name, row) || this.database.kind === 'sqlite';
      if (this.taken.delete(name) || isAbandoned) this.mine.add(name);
      return this.mine.has(name);
    });
    for (const name of this.mine) if (!names.has(name)) this.mine.delete(name);
    return left;
  }
}

const keyOf = ({ id, relyingPartyId }: Batch): string => mapKey(id) + mapKey(relyingPartyId);
