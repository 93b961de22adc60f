import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import {
  TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../../platform/database/entities/column-types.js';

/**
 * `disabling` until all keys are processed, then `disabled`; `stopped` in between; `undoing` while the keys are
 * enabled again, then `undone`.
 */
export const MODEL_JOB_STATES = ['disabling', 'stopped', 'disabled', 'undoing', 'undone'] as const;
export type ModelJobState = (typeof MODEL_JOB_STATES)[number];

/** The part of a job at one relying party: it disables all keys of a model, and can enable them again. */
@Entity('model_jobs')
@Index('ix_model_jobs_state', ['state'])
@Index('ix_model_jobs_model', ['aaguid', 'id'])
export class ModelJob {
  /** The same at all relying parties of the job; it begins with the time. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @PrimaryColumn(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @Column(fixedBytes(16))
  aaguid!: Buffer;

  @Column(words(10))
  state!: ModelJobState;

  /** `JobCaller` as JSON: who requested the job's current action, for the audit rows. */
  @Column(TEXT)
  caller!: string;

  @Column({ ...words(200), nullable: true })
  reason!: string | null;

  /** The fingerprint of the last processed key; less than any key's at the beginning. */
  @Column(bytes(32))
  position!: Buffer;

  /** How many keys of the model there were at the start, and how many were processed. */
  @Column(WHOLE)
  total!: number;

  @Column(WHOLE)
  looked!: number;

  /**
   * How many keys of how many users the job has disabled, and how many it has enabled again. Deleted keys are counted,
   * but their users are not.
   */
  @Column(WHOLE)
  disabledKeys!: number;

  @Column(WHOLE)
  disabledUsers!: number;

  @Column(WHOLE)
  enabledKeys!: number;

  @Column(WHOLE)
  enabledUsers!: number;
}
