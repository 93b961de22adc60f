import { Injectable } from '@nestjs/common';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { newId, timeOfId } from '../../platform/database/row-ids.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import { aaguidBytes, aaguidText } from '../../webauthn/aaguid.js';
import type { ModelJob, ModelJobState } from './model-job.entity.js';
import {
  INSERT_JOBS,
  JOBS_OF_MODEL,
  PARTS_OF_JOB,
  RESUME_JOB,
  STOP_JOB,
  UNDO_JOB,
} from './model-job.statements.js';

export type JobCaller = Pick<AuditEntry, 'account' | 'role' | 'address' | 'requestId'>;

/** A job with its parts at the relying parties that an account may see. */
export interface SeenJob {
  readonly id: Buffer;
  readonly aaguid: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly reason: string | null;
  readonly state: ModelJobState;
  readonly parts: readonly (ModelJob & { readonly relyingParty: RelyingParty })[];
}

const BEGINNING = Buffer.alloc(0);
/** Maximum number of relying parties in one statement. */
const MAX_RELYING_PARTIES = 100;
/** Maximum number of rows that a statement reads: each job has one for each relying party. */
const MAX_ROWS = 1000;
/** The state of a job is the first of these in which one of its parts is. */
const ORDER: readonly ModelJobState[] = ['undoing', 'disabling', 'stopped', 'disabled', 'undone'];

/** The statements that change the state of a job; a part in a state that they do not fit stays unchanged. */
const CHANGES = { stop: STOP_JOB, resume: RESUME_JOB, undo: UNDO_JOB };
export type JobChange = keyof typeof CHANGES;

/** Starts, stops and undoes jobs that disable all keys of a model; `ModelJobRunner` does the work. */
@Injectable()
export class ModelJobs {
  constructor(
    private readonly database: Database,
    private readonly keys: ModelKeys,
  ) {}

  /**
   * Starts a job at the relying parties that have keys of the model.
   *
   * @throws ApiError E0045R if none has, or a job for the model is in progress at one of them
   */
  async start(
    rps: readonly RelyingParty[],
    aaguid: string,
    { caller, reason }: { readonly caller: JobCaller; readonly reason?: string | undefined },
  ): Promise<SeenJob> {
    const running = (await this.ofModel(rps, aaguid)).some(({ state }) => isUnderWay(state));
    if (running) throw new ApiError('E0045R', 'model.jobRunning');
    const id = newId();
    const model = aaguidBytes(aaguid);
    const rows: ModelJob[] = [];
    for (const rp of rps) {
      const total = await this.keys.countKeys(rp, model);
      if (total === 0) continue;
      rows.push({
        ...scope(rp),
        id,
        aaguid: model,
        state: 'disabling',
        total,
        caller: JSON.stringify(caller),
        reason: reason ?? null,
        position: BEGINNING,
        looked: 0,
        disabledKeys: 0,
        disabledUsers: 0,
        enabledKeys: 0,
        enabledUsers: 0,
      });
    }
    if (rows.length === 0) throw new ApiError('E0045R', 'model.noKeys');
    // If two start at once, both disable the keys, which stay disabled until both are undone.
    await this.database.commit([INSERT_JOBS.step({ rows })]);
    return this.find(rps, aaguid, id);
  }

  /** The latest jobs of a model, the newest first. */
  async ofModel(rps: readonly RelyingParty[], aaguid: string): Promise<readonly SeenJob[]> {
    const model = { aaguid: aaguidBytes(aaguid), limit: MAX_ROWS };
    const rows = splitIntoParts(rps, MAX_RELYING_PARTIES).map((part) =>
      this.database.query(JOBS_OF_MODEL, { ...model, relyingPartyIds: part.map(({ id }) => id) }),
    );
    const newestFirst = (await Promise.all(rows)).flat().sort((a, b) => b.id.compare(a.id));
    return jobsOf(rps, newestFirst);
  }

  /** @throws ApiError E0044R if the model has no such job at these relying parties */
  async find(rps: readonly RelyingParty[], aaguid: string, id: Buffer): Promise<SeenJob> {
    const [found] = jobsOf(rps, await this.database.query(PARTS_OF_JOB, { id }));
    if (found?.aaguid !== aaguid) throw new ApiError('E0044R', 'model.noJob');
    return found;
  }

  /** Stops a job, continues a stopped one, or begins to enable the keys that a job has disabled. */
  async change(change: JobChange, { parts }: SeenJob, caller: JobCaller): Promise<void> {
    const statement = CHANGES[change];
    for (const { id, relyingParty: rp } of parts) {
      const params = { id, caller: JSON.stringify(caller), beginning: BEGINNING };
      await this.database.commit([statement.step({ ...scope(rp), ...params })]);
    }
  }
}

export const isUnderWay = (state: ModelJobState): boolean =>
  state === 'disabling' || state === 'undoing';

function jobsOf(rps: readonly RelyingParty[], rows: readonly ModelJob[]): SeenJob[] {
  const visible = rows.flatMap((row) => {
    const relyingParty = rps.find(({ id }) => id.equals(row.relyingPartyId));
    return relyingParty ? [{ ...row, relyingParty }] : [];
  });
  const jobs = Map.groupBy(visible, ({ id }) => id.toString('latin1'));
  return [...jobs.values()].flatMap((parts) => {
    const [first] = parts;
    if (!first) return [];
    const state = ORDER.find((one) => parts.some((part) => part.state === one)) ?? first.state;
    const { id, reason } = first;
    return [
      { id, aaguid: aaguidText(first.aaguid), startedAt: timeOfId(id), reason, state, parts },
    ];
  });
}
