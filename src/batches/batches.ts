import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { Registry } from '../platform/common/registry.js';
import { splitIntoParts } from '../platform/common/split-into-parts.js';
import {
  deleteStep,
  insertStep,
  mustChange,
  updateStep,
} from '../platform/database/commit/step-of.js';
import type { Step } from '../platform/database/commit/unit.js';
import { Database } from '../platform/database/database.js';
import { BEGINNING, mapKey } from '../platform/database/row-ids.js';
import { scope, type ScopeOwner } from '../platform/database/scope.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { Batch, BATCH_STATES, UNDER_WAY, type BatchState } from './batch.entity.js';
import { COUNT_CHANGED, COUNT_UNDONE } from './batch.statements.js';
import type { BatchSlice, RowJob } from './row-job.js';

export type BatchChange = 'stop' | 'resume' | 'undo';
export type BatchPart = Batch & { readonly relyingParty: RelyingParty };

/** A batch with its parts at the relying parties that an account may see. */
export interface SeenBatch extends Pick<Batch, 'id' | 'target' | 'reason' | 'state'> {
  readonly parts: readonly BatchPart[];
}

const RELYING_PARTIES_PER_STATEMENT = 100;
/** Each batch has a row for each relying party. */
const ROWS_PER_STATEMENT = 1000;
const NO_PROGRESS = { position: BEGINNING, looked: 0 };
const UNCHANGED = { changedKeys: 0, changedUsers: 0, undoneKeys: 0, undoneUsers: 0 };

export const isUnderWay = (state: BatchState): boolean => UNDER_WAY.some((one) => one === state);

/** The stored batches of all jobs. Changes of a state are compare-and-set; `BatchRunner` does the work. */
@Injectable()
export class Batches {
  private readonly jobs = new Registry<string, RowJob>();

  constructor(
    @InjectRepository(Batch) private readonly batches: Repository<Batch>,
    private readonly database: Database,
  ) {}

  /** Adds a job, whose batches the runner then works on. */
  register(job: RowJob): void {
    this.jobs.set(job.name, job);
  }

  jobOf({ job: name }: Pick<Batch, 'job'>): RowJob {
    const job = this.jobs.get(name);
    if (!job) throw new Error(`The job ${name} is not registered.`);
    return job;
  }

  /** Starts a batch at its relying party; one with this ID begins again there. */
  startSteps(batch: Batch): Step[] {
    const { id, relyingPartyId } = batch;
    return [deleteStep(this.batches, { id, relyingPartyId }), insertStep(this.batches, batch)];
  }

  /** Removes a batch at all its relying parties. */
  removeStep({ id }: Pick<Batch, 'id'>): Step {
    return deleteStep(this.batches, { id });
  }

  /** The batches of all relying parties that are worked on, in a stable order. */
  underWay(): Promise<Batch[]> {
    const where = { state: In<BatchState>([...UNDER_WAY]), job: In([...this.jobs.keys()]) };
    return this.batches.find({ where, order: { id: 'ASC', relyingPartyId: 'ASC' } });
  }

  /** The targets of these batches, as `mapKey`. */
  async targetsUnderWay(): Promise<ReadonlySet<string>> {
    return new Set((await this.underWay()).map(({ target }) => mapKey(target)));
  }

  /** The latest batches on a target, the newest first. */
  async ofTarget(rps: readonly RelyingParty[], target: Buffer): Promise<readonly SeenBatch[]> {
    const rows = splitIntoParts(rps, RELYING_PARTIES_PER_STATEMENT).map((part) => {
      const where = { target, relyingPartyId: In(part.map(({ id }) => id)) };
      return this.batches.find({ where, order: { id: 'DESC' }, take: ROWS_PER_STATEMENT });
    });
    return seenBatches(rps, (await Promise.all(rows)).flat()).sort((a, b) => b.id.compare(a.id));
  }

  /** The batch with this ID; `undefined` if these relying parties have no part of it. */
  async find(rps: readonly RelyingParty[], id: Buffer): Promise<SeenBatch | undefined> {
    const [found] = seenBatches(rps, await this.batches.findBy({ id }));
    return found;
  }

  /** Stops a batch, continues a stopped one, or begins to undo what one has changed. */
  changeStep(change: BatchChange, batch: Batch, caller: string): Step {
    const { running, done } = this.jobOf(batch).states;
    const [from, changes] = {
      stop: [[running], { state: 'stopped' as const }] as const,
      resume: [['stopped'], { state: running, caller }] as const,
      undo: [[running, 'stopped', done], { ...NO_PROGRESS, state: 'undoing', caller }] as const,
    }[change];
    const { id, relyingPartyId } = batch;
    return mustChange(updateStep(this.batches, { id, relyingPartyId, state: In(from) }, changes));
  }

  /** Stops a batch unless it was resumed since it was read, which gives it another caller. */
  stopAsReadStep({ id, relyingPartyId, state, caller }: Batch): Step {
    const where = { id, relyingPartyId, state, caller };
    return updateStep(this.batches, where, { state: 'stopped' });
  }

  /**
   * Stores the progress after a slice.
   *
   * @returns the batch as it is now; `undefined` if another instance was faster, or the batch was stopped or undone
   */
  async advance(batch: Batch, slice: BatchSlice<unknown>): Promise<Batch | undefined> {
    const { id, relyingPartyId, state, position } = batch;
    const done = state === 'undoing' ? 'undone' : this.jobOf(batch).states.done;
    const changes = {
      state: slice.next ? state : done,
      position: slice.next ?? position,
      looked: batch.looked + slice.looked,
    };
    const where = { id, relyingPartyId, state, position };
    const unit = [mustChange(updateStep(this.batches, where, changes)), ...slice.steps];
    return (await this.database.commit(unit, { background: true }))
      ? { ...batch, ...changes }
      : undefined;
  }

  /** Counts changed keys. The unit is applied only while the batch is in this state. */
  countStep(batch: Batch, counts: { readonly keys: number; readonly users: number }): Step {
    const statement = batch.state === 'undoing' ? COUNT_UNDONE : COUNT_CHANGED;
    return statement.mustChange({ ...batch, ...counts });
  }

  /**
   * Restarts unfinished batches on these targets at the first row.
   *
   * @param position less than any row's, and new, so that a slice in progress is repeated
   */
  rewindStep(rp: ScopeOwner, targets: readonly Buffer[], position: Buffer): Step {
    const state = In<BatchState>([...UNDER_WAY, 'stopped']);
    const where = { ...scope(rp), target: In([...targets]), state };
    return updateStep(this.batches, where, { position, looked: 0 });
  }
}

/** A batch at its beginning. */
export const newBatch = (
  { name, states }: RowJob,
  rp: ScopeOwner,
  given: Pick<Batch, 'id' | 'target' | 'total' | 'caller' | 'reason'>,
): Batch => ({
  ...scope(rp),
  ...NO_PROGRESS,
  ...UNCHANGED,
  ...given,
  job: name,
  state: states.running,
});

function seenBatches(rps: readonly RelyingParty[], rows: readonly Batch[]): SeenBatch[] {
  const visible = rows.flatMap((row) => {
    const relyingParty = rps.find(({ id }) => id.equals(row.relyingPartyId));
    return relyingParty ? [{ ...row, relyingParty }] : [];
  });
  return [...Map.groupBy(visible, ({ id }) => mapKey(id)).values()].flatMap((parts) =>
    parts.slice(0, 1).map((first) => {
      const state =
        BATCH_STATES.find((one) => parts.some((part) => part.state === one)) ?? first.state;
      return { ...first, state, parts };
    }),
  );
}
