import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import { MODEL_JOB_STATES, type ModelJobState } from './model-job.entity.js';

const COUNT = { type: 'integer', minimum: 0 } as const;
const AAGUID = { format: 'uuid', example: 'ee882879-721c-4913-9775-3dfcce97072a' } as const;

/** The progress of a job: in total, or at one relying party. */
class JobFigures {
  @ApiProperty({ enum: MODEL_JOB_STATES })
  readonly state!: ModelJobState;

  @ApiProperty({ ...COUNT, example: 393, description: 'keys of the model at the start' })
  readonly total!: number;

  @ApiProperty({
    ...COUNT,
    description: 'keys that it has looked at since it began, or its undo did',
  })
  readonly looked!: number;

  @ApiProperty({ ...COUNT, description: 'keys that it has disabled, deleted ones too' })
  readonly disabledKeys!: number;

  @ApiProperty({
    ...COUNT,
    description: 'users whose keys it has disabled, but for keys deleted before',
  })
  readonly disabledUsers!: number;

  @ApiProperty({ ...COUNT, description: 'keys that its undo has enabled, deleted ones too' })
  readonly enabledKeys!: number;

  @ApiProperty({
    ...COUNT,
    description: 'users whose keys its undo has enabled, but for keys deleted before',
  })
  readonly enabledUsers!: number;
}

/** The part of a job at one relying party. */
export class ModelJobPart extends JobFigures {
  @ApiProperty({ example: 'localhost', description: 'its domain' })
  readonly relyingParty!: string;
}

export class ModelJobView extends JobFigures {
  @ApiProperty({ example: 'AZrlG0R3cAOAfJ0WQ2x9Sg' })
  readonly id!: string;

  @ApiProperty(AAGUID)
  readonly aaguid!: string;

  @ApiProperty({ format: 'date-time' })
  readonly startedAt!: string;

  @ApiProperty({ example: 'admin', description: 'who asked for what it does now' })
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
    description: 'the status by which the metadata speaks against it',
  })
  readonly against!: string | null;

  @ApiProperty({ type: [ModelStatusReport], description: 'of the metadata, the latest first' })
  readonly statusReports!: readonly ModelStatusReport[];

  @ApiProperty({ ...COUNT, example: 393, description: 'keys of the model, disabled ones too' })
  readonly keys!: number;

  @ApiProperty({ ...COUNT, description: 'keys that no person has disabled' })
  readonly open!: number;

  @ApiProperty({ ...COUNT, description: 'users who have such a key' })
  readonly users!: number;

  @ApiProperty({ ...COUNT, description: 'of these, users without another key that can sign in' })
  readonly alone!: number;

  @ApiProperty({ ...COUNT, description: 'of these, users without any key that can sign in' })
  readonly withoutKey!: number;

  @ApiProperty({
    description: '`false`: not all keys were looked at, and all numbers but `keys` are too small',
  })
  readonly complete!: boolean;

  @ApiProperty({ type: [String], description: 'domains whose policies block it' })
  readonly blockedAt!: readonly string[];

  @ApiProperty({ type: [ModelJobView], description: 'the newest first' })
  readonly jobs!: readonly ModelJobView[];
}

export class ModelBlockAnswer extends OkAnswer {
  @ApiProperty(AAGUID)
  readonly aaguid!: string;

  @ApiProperty({ type: [String], description: 'domains whose policies were changed' })
  readonly changed!: readonly string[];

  @ApiProperty({
    type: [String],
    description: 'domains whose rule `block` is full, off or only reports: it is changed by hand',
  })
  readonly left!: readonly string[];
}
