import { OkAnswer } from '../../platform/http/ok.js';
import { ApiCount, ApiProperty } from '../../platform/http/openapi/openapi.js';
import type { StatusReport } from '../../webauthn/metadata/status.js';
import type { BatchState } from '../../batches/batch.entity.js';
import type { SeenBatch } from '../../batches/batches.js';
import { batchCallerOf } from '../../batches/row-job.js';
import { timeOfId } from '../../platform/database/row-ids.js';
import { aaguidText } from '../../webauthn/aaguid.js';

const AAGUID = { format: 'uuid', example: 'ee882879-721c-4913-9775-3dfcce97072a' } as const;

/** The progress of a job: in total, or at one relying party. */
class JobFigures {
  @ApiProperty({ enum: ['disabling', 'stopped', 'disabled', 'undoing', 'undone'] })
  readonly state!: BatchState;

  @ApiCount({ example: 393, description: 'number of keys of the model when the job started' })
  readonly total!: number;

  @ApiCount({ description: 'number of keys examined since the job, or its undo, started' })
  readonly looked!: number;

  @ApiCount({
    description:
      'number of keys that the job has disabled, including deleted keys that can be restored',
  })
  readonly disabledKeys!: number;

  @ApiCount({
    description: 'number of users whose keys the job has disabled; deleted keys do not count',
  })
  readonly disabledUsers!: number;

  @ApiCount({
    description:
      'number of keys that the undo has enabled, including deleted keys that can be restored',
  })
  readonly enabledKeys!: number;

  @ApiCount({
    description: 'number of users whose keys the undo has enabled; deleted keys do not count',
  })
  readonly enabledUsers!: number;
}

/** The part of a job at one relying party. */
class ModelJobPart extends JobFigures {
  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;
}

export class ModelJobView extends JobFigures {
  @ApiProperty({ example: 'AZrlG0R3cAOAfJ0WQ2x9Sg' })
  readonly id!: string;

  @ApiProperty(AAGUID)
  readonly aaguid!: string;

  @ApiProperty({ format: 'date-time' })
  readonly startedAt!: string;

  @ApiProperty({
    example: 'admin',
    description: 'account that requested the current step of the job',
  })
  readonly account!: string;

  @ApiProperty({ type: String, nullable: true, example: 'lost in the mail' })
  readonly reason!: string | null;

  @ApiProperty({ type: [ModelJobPart] })
  readonly relyingParties!: readonly ModelJobPart[];
}

export class ModelJobAnswer extends OkAnswer {
  @ApiProperty({ type: ModelJobView })
  readonly job!: ModelJobView;
}

class ModelStatusReport {
  @ApiProperty({ example: 'REVOKED' })
  readonly status!: string;

  @ApiProperty({ type: String, nullable: true, format: 'date', example: '2026-02-01' })
  readonly effectiveDate!: string | null;
}

export class ModelAnswer extends OkAnswer {
  @ApiProperty(AAGUID)
  readonly aaguid!: string;

  @ApiProperty({ type: String, nullable: true, example: 'YubiKey 5 Series' })
  readonly name!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'REVOKED',
    description: 'status in the metadata that speaks against the model',
  })
  readonly against!: string | null;

  @ApiProperty({
    type: [ModelStatusReport],
    description: 'status reports from the metadata, latest first',
  })
  readonly statusReports!: readonly ModelStatusReport[];

  @ApiCount({ example: 393, description: 'number of keys of the model, including disabled keys' })
  readonly keys!: number;

  @ApiCount({ description: 'number of keys that no account has disabled' })
  readonly open!: number;

  @ApiCount({ description: 'number of users who have a key of the model' })
  readonly users!: number;

  @ApiCount({ description: 'number of these users who can sign in with no key of another model' })
  readonly alone!: number;

  @ApiCount({ description: 'number of these users who have no key that can sign in' })
  readonly withoutKey!: number;

  @ApiProperty({
    description: 'whether all keys were examined; `false`: all numbers except `keys` are too small',
  })
  readonly complete!: boolean;

  @ApiProperty({ type: [String], description: 'domains whose policies block the model' })
  readonly blockedAt!: readonly string[];

  @ApiProperty({ type: [ModelJobView], description: 'jobs for the model, newest first' })
  readonly jobs!: readonly ModelJobView[];
}

/** The keys and users of a model. */
export type ModelFigures = Pick<
  ModelAnswer,
  'keys' | 'open' | 'users' | 'alone' | 'withoutKey' | 'complete'
>;

export class ModelBlockAnswer extends OkAnswer {
  @ApiProperty(AAGUID)
  readonly aaguid!: string;

  @ApiProperty({ type: [String], description: 'domains whose policies were changed' })
  readonly changed!: readonly string[];

  @ApiProperty({
    type: [String],
    description:
      'domains whose rule `block` is full or not enforced, and so must be changed by hand',
  })
  readonly left!: readonly string[];
}

/** The counts of the interface, and those of a batch. */
const COUNTS = {
  total: 'total',
  looked: 'looked',
  disabledKeys: 'changedKeys',
  disabledUsers: 'changedUsers',
  enabledKeys: 'undoneKeys',
  enabledUsers: 'undoneUsers',
} as const;

type Counts = Record<keyof typeof COUNTS, number>;

const countsOf = (parts: SeenBatch['parts']): Counts =>
  Object.fromEntries(
    Object.entries(COUNTS).map(([name, counted]) => [
      name,
      parts.reduce((sum, part) => sum + part[counted], 0),
    ]),
  ) as Counts;

/** A job, with the sums over all relying parties and the figures of each. */
export function jobView({ id, target, reason, state, parts }: SeenBatch): ModelJobView {
  const [first] = parts;
  return {
    id: id.toString('base64url'),
    aaguid: aaguidText(target),
    state,
    reason,
    account: first ? batchCallerOf(first).account : '',
    startedAt: new Date(timeOfId(id)).toISOString(),
    ...countsOf(parts),
    relyingParties: parts.map((part): ModelJobPart => ({
      relyingParty: part.relyingParty.domain,
      state: part.state,
      ...countsOf([part]),
    })),
  };
}

/** The metadata's status reports, latest first. */
export const reportsView = (reports: readonly StatusReport[]): ModelAnswer['statusReports'] =>
  reports
    .toSorted((a, b) => Number(b.effectiveDate ?? 0) - Number(a.effectiveDate ?? 0))
    .map(({ status, effectiveDate }) => ({
      status,
      effectiveDate: effectiveDate?.toISOString().slice(0, 10) ?? null,
    }));
