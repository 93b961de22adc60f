import type { AuditEntry } from '../audit/audit-entry.js';
import type { AuditedCall } from '../audit/audited.js';
import type { Step } from '../platform/database/commit/unit.js';
import type { Batch, BatchState } from './batch.entity.js';

/** Who requested the current action of a batch, as in its audit rows. */
export type BatchCaller = Pick<AuditEntry, 'account' | 'role' | 'address' | 'requestId'>;

/** What a batch needs of the call that starts or changes it. */
export type CallOfBatch = Pick<AuditedCall, 'account' | 'requestId' | 'commit'> & {
  readonly request: Pick<AuditedCall['request'], 'ip'>;
};

/**
 * The caller for a batch's row.
 *
 * @param more what else the job must know of the call
 */
export function callerText({ account, request, requestId }: CallOfBatch, more = {}): string {
  const { name, role } = account;
  const caller: BatchCaller = { account: name, role, address: request.ip ?? '', requestId };
  return JSON.stringify({ ...caller, ...more });
}

export const batchCallerOf = ({ caller }: Batch): BatchCaller => JSON.parse(caller) as BatchCaller;

/** Consecutive rows of a batch. */
export interface BatchSlice<Row> {
  readonly rows: readonly Row[];
  /** How many were examined to find the rows. */
  readonly looked: number;
  /** Behind the last row; `undefined` if no others follow. */
  readonly next: Buffer | undefined;
  /** Further steps of the unit that stores the progress. */
  readonly steps: readonly Step[];
}

/**
 * What a batch does to each of its rows. A slice may be repeated, by two instances at the same time too: a row that is
 * as requested is left alone.
 */
export interface RowJob<Row = unknown, Outcome = unknown> {
  /** Stored with its batches. */
  readonly name: string;
  /** Its words for batches while rows are left, and afterwards. */
  readonly states: Readonly<Record<'running' | 'done', BatchState>>;

  /** The slice after the batch's position; `undefined` if the batch must stop. */
  find(batch: Batch): Promise<BatchSlice<Row> | undefined>;

  /**
   * Changes a row, or undoes the change, in one unit with its events, its audit row and its outcome.
   *
   * @returns `undefined` if the row was changed concurrently: the slice is repeated
   */
  change(batch: Batch, row: Row): Promise<Outcome | undefined>;
}
