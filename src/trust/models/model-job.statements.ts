import { sql, type NoParams } from '../../platform/database/statement.js';
import type { Scope } from '../../platform/database/scope.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { ModelJob, type ModelJobState } from './model-job.entity.js';

const job = tableOf(ModelJob);

const SELECT = `SELECT ${job.select(...job.names)} FROM ${job.from}`;
const ONE = `${job.scope} AND ${job.id} = :id`;
type OneJob = Scope & { readonly id: Buffer };

/** Of all relying parties: for the runner alone. */
export const JOBS_UNDER_WAY = sql<NoParams, ModelJob>(
  `${SELECT} WHERE ${job.state} IN ('disabling', 'undoing')
  ORDER BY ${job.id}, ${job.relyingPartyId}`,
);

/** The newest first. */
export const JOBS_OF_MODEL = sql<
  { aaguid: Buffer; relyingPartyIds: readonly Buffer[]; limit: number },
  ModelJob
>(`${SELECT} WHERE ${job.aaguid} = :aaguid AND ${job.relyingPartyId} IN (:...relyingPartyIds)
  ORDER BY ${job.id} DESC LIMIT :limit`);

export const PARTS_OF_JOB = sql<{ id: Buffer }, ModelJob>(`${SELECT} WHERE ${job.id} = :id`);

export const INSERT_JOBS = sql<{ rows: readonly ModelJob[] }>(
  `INSERT INTO ${job.rows(...job.names)}`,
);

type Advance = Pick<ModelJob, 'state' | 'position' | 'looked'> & {
  readonly newState: ModelJobState;
  readonly newPosition: Buffer;
};

/** Stores progress; changes nothing if another instance has, or if the job was stopped or undone. */
export const ADVANCE_JOB = sql<OneJob & Advance>(`UPDATE ${job.from}
  SET ${job.state} = :newState, ${job.position} = :newPosition,
    ${job.looked} = ${job.looked} + :looked
  WHERE ${ONE} AND ${job.state} = :state AND ${job.position} = :position`);

/** Belongs in the unit of a change of keys, which is applied only while the job is in this state. */
export const COUNT_DISABLED = sql<OneJob & { keys: number; users: number }>(`UPDATE ${job.from}
  SET ${job.disabledKeys} = ${job.disabledKeys} + :keys,
    ${job.disabledUsers} = ${job.disabledUsers} + :users
  WHERE ${ONE} AND ${job.state} = 'disabling'`);

export const COUNT_ENABLED = sql<OneJob & { keys: number; users: number }>(`UPDATE ${job.from}
  SET ${job.enabledKeys} = ${job.enabledKeys} + :keys,
    ${job.enabledUsers} = ${job.enabledUsers} + :users
  WHERE ${ONE} AND ${job.state} = 'undoing'`);

/** Restarts unfinished jobs at the first key. The place is a new one, so that a page in progress is repeated. */
export const REWIND_JOBS = sql<Scope & { aaguids: readonly Buffer[]; beginning: Buffer }>(
  `UPDATE ${job.from} SET ${job.position} = :beginning, ${job.looked} = 0
  WHERE ${job.scope} AND ${job.aaguid} IN (:...aaguids)
    AND ${job.state} IN ('disabling', 'stopped', 'undoing')`,
);

export const STOP_JOB = sql<OneJob>(
  `UPDATE ${job.from} SET ${job.state} = 'stopped' WHERE ${ONE} AND ${job.state} = 'disabling'`,
);

export const RESUME_JOB = sql<OneJob & { caller: string }>(
  `UPDATE ${job.from} SET ${job.state} = 'disabling', ${job.caller} = :caller
  WHERE ${ONE} AND ${job.state} = 'stopped'`,
);

/** Restarts at the first key, whatever the state of the job. */
export const UNDO_JOB = sql<OneJob & { caller: string; beginning: Buffer }>(`UPDATE ${job.from}
  SET ${job.state} = 'undoing', ${job.caller} = :caller, ${job.position} = :beginning,
    ${job.looked} = 0
  WHERE ${ONE} AND ${job.state} IN ('disabling', 'stopped', 'disabled')`);
