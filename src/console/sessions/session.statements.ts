import { tableOf } from '../../database/entities/table.js';
import { ConsoleSession } from './console-session.entity.js';

const s = tableOf(ConsoleSession);

/** id. */
export const SESSION_BY_ID = `SELECT
    ${s.select('id', 'account', 'mark', 'secretHash', 'previousHash', 'rotatedAt')},
    ${s.select('beganAt', 'usedAt', 'endsAt', 'way')}
  FROM ${s.from} WHERE ${s.id} = ?`;

/** now, id, before: once a minute. */
export const NOTE_SESSION_USE = `UPDATE ${s.from} SET ${s.usedAt} = ?
  WHERE ${s.id} = ? AND ${s.usedAt} <= ?`;

/** the hash of the new secret, now, id, the hash of the present one, which it then has as the one before. */
export const ROTATE_SESSION = `UPDATE ${s.from}
  SET ${s.previousHash} = ${s.secretHash}, ${s.secretHash} = ?, ${s.rotatedAt} = ?
  WHERE ${s.id} = ? AND ${s.secretHash} = ?`;

/** now, last use of those that have waited too long. */
export const DELETE_ENDED_SESSIONS = `DELETE FROM ${s.from}
  WHERE ${s.endsAt} <= ? OR ${s.usedAt} <= ?`;
