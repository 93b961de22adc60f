import { tableOf } from '../../platform/database/entities/table.js';
import { EventEntity } from '../event.entity.js';
import { EventBatch } from './event-batch.entity.js';
import { NumberingProgress } from './numbering-progress.entity.js';

/**
 * These statements have no scope, since the job numbers the events of all relying parties. Ranges of events
 * are given as IDs, ranges of slices as numbers; the end of a range is excluded.
 */

const event = tableOf(EventEntity);
const batch = tableOf(EventBatch);
const progress = tableOf(NumberingProgress);

export const NUMBERED_UPTO = `SELECT ${progress.select('last', 'upto')} FROM ${progress.from}
  WHERE ${progress.id} = 1`;

/** Parameters: upto. Throws where the row exists. */
export const BEGIN_NUMBERING = `INSERT INTO ${progress.from}
  (${progress.list('id', 'last', 'upto')}) VALUES (1, 0, ?)`;

/** Parameters: new last, new upto, last, upto. Changes nothing where another instance has moved it. */
export const MOVE_NUMBERING = `UPDATE ${progress.from} SET ${progress.last} = ?, ${progress.upto} = ?
  WHERE ${progress.id} = 1 AND ${progress.last} = ? AND ${progress.upto} = ?`;

/** Parameters: the values of a batch. */
export const INSERT_BATCH = `INSERT INTO ${batch.from}
    (${batch.list('last', 'tenantId', 'relyingPartyId', 'slice', 'size', 'ids')})
  VALUES (?, ?, ?, ?, ?, ?)`;

/** Parameters: id, to, limit. Finds events after an ID, which may be one from `idFrom`, as no event has. */
export const EVENTS_TO_NUMBER = `SELECT ${event.select('id', 'tenantId', 'relyingPartyId')}
  FROM ${event.from} WHERE ${event.id} > ? AND ${event.id} < ? ORDER BY ${event.id} LIMIT ?`;

/** Parameters: from, to. */
export const COUNT_EVENTS = `SELECT COUNT(*) AS n FROM ${event.from}
  WHERE ${event.id} >= ? AND ${event.id} < ?`;

/**
 * Parameters: from, to, as slices. The cast is for MySQL and MariaDB, whose SUM the driver reads as a text.
 */
export const COUNT_NUMBERED = `SELECT CAST(COALESCE(SUM(${batch.size}), 0) AS SIGNED) AS n
  FROM ${batch.from} WHERE ${batch.slice} >= ? AND ${batch.slice} < ?`;

/** Parameters: from, to, as slices. */
export const NUMBERED_IDS = `SELECT ${batch.select('ids')} FROM ${batch.from}
  WHERE ${batch.slice} >= ? AND ${batch.slice} < ?`;

export const OLDEST_SLICE = `SELECT MIN(${batch.slice}) AS slice FROM ${batch.from}`;

/** Parameters: number. Finds the slice of the batch with the next event after it. */
export const SLICE_BEHIND = `SELECT ${batch.slice} FROM ${batch.from} WHERE ${batch.last} > ?
  ORDER BY ${batch.last} LIMIT 1`;

/** Parameters: slice. Deletes the batches of earlier slices. */
export const DELETE_BATCHES = `DELETE FROM ${batch.from} WHERE ${batch.slice} < ?`;

const BATCHES = `SELECT ${batch.select('last', 'relyingPartyId', 'ids')} FROM ${batch.from} WHERE`;
const IN_ORDER = `${batch.last} > ? ORDER BY ${batch.last} LIMIT ?`;

/** Parameters: rp, after, limit. */
export const BATCHES_OF_RELYING_PARTY = `${BATCHES} ${batch.positionalScope} AND ${IN_ORDER}`;

/** Parameters: tenant ID, after, limit. The caller leaves out relying parties that may not be seen. */
export const BATCHES_OF_TENANT = `${BATCHES} ${batch.tenantId} = ? AND ${IN_ORDER}`;

/** Parameters: after, limit. The caller leaves out relying parties that may not be seen. */
export const BATCHES_OF_ALL = `${BATCHES} ${IN_ORDER}`;
