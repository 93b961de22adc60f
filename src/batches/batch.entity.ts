import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import {
  TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../platform/database/entities/column-types.js';

/** The states in which a batch is worked on. */
export const UNDER_WAY = ['undoing', 'disabling', 'deleting', 'changing'] as const;
/**
 * All states: `stopped` before all rows are processed; `disabled` or `done` afterwards; `undone` after an undo. A batch
 * is in the first of them in which one of its parts is.
 */
export const BATCH_STATES = [...UNDER_WAY, 'stopped', 'disabled', 'done', 'undone'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/**
 * The part of a batch at one relying party: a job on many rows, with its progress. The table and some columns are named
 * after the first job, which instances of 1.0 do too.
 */
@Entity('model_jobs')
@Index('ix_model_jobs_state', ['state'])
@Index('ix_model_jobs_model', ['target', 'id'])
export class Batch {
  /** The same at all relying parties of the batch. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @PrimaryColumn(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  /** What the job acts on: the AAGUID of a model, or the ID of a list. */
  @Column({ ...fixedBytes(16), name: 'aaguid' })
  target!: Buffer;

  @Column(words(10))
  state!: BatchState;

  /** `BatchCaller` as JSON: who requested the batch's current action, for the audit rows. */
  @Column(TEXT)
  caller!: string;

  @Column({ ...words(200), nullable: true })
  reason!: string | null;

  /** Behind the last processed row; empty at the beginning. */
  @Column(bytes(32))
  position!: Buffer;

  /** How many rows there were at the start, and how many were processed. */
  @Column(WHOLE)
  total!: number;

  @Column(WHOLE)
  looked!: number;

  /** How many keys of how many users the batch has changed. Deleted keys are counted, but their users are not. */
  @Column({ ...WHOLE, name: 'disabled_keys' })
  changedKeys!: number;

  @Column({ ...WHOLE, name: 'disabled_users' })
  changedUsers!: number;

  /** The same for an undo of the same batch. */
  @Column({ ...WHOLE, name: 'enabled_keys' })
  undoneKeys!: number;

  @Column({ ...WHOLE, name: 'enabled_users' })
  undoneUsers!: number;

  /** The name of a `RowJob`. */
  @Column({ ...words(32), default: 'disable-model' })
  job!: string;
}
