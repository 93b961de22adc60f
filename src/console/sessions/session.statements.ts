import { tableOf } from '../../platform/database/entities/table.js';
import { ConsoleSession } from './console-session.entity.js';

const s = tableOf(ConsoleSession);

/** Parameters: id. */
export const SESSION_BY_ID = `SELECT
    ${s.select('id', 'account', 'mark', 'secretHash', 'previousHash', 'rotatedAt')},
    ${s.select('beganAt', 'usedAt', 'endsAt', 'way')}
  FROM ${s.from} WHERE ${s.id} = ?`;

/** Parameters: now, id, the time before which the last use must lie: it is noted once a minute. */
export const NOTE_SESSION_USE = `UPDATE ${s.from} SET ${s.usedAt} = ?
  WHERE ${s.id} = ? AND ${s.usedAt} <= ?`;

/** Parameters: new secret's hash, now, id, present secret's hash, which becomes the previous one. */
export const ROTATE_SESSION = `UPDATE ${s.from}
  SET ${s.previousHash} = ${s.secretHash}, ${s.secretHash} = ?, ${s.rotatedAt} = ?
  WHERE ${s.id} = ? AND ${s.secretHash} = ?`;

/** Parameters: now, last use of sessions that were idle for too long. */
export const DELETE_ENDED_SESSIONS = `DELETE FROM ${s.from}
  WHERE ${s.endsAt} <= ? OR ${s.usedAt} <= ?`;
