import { tableOf } from '../../platform/database/entities/table.js';
import { User } from '../user.entity.js';
import { Move } from '../moves/move.entity.js';
import { EarlierName } from './earlier-name.entity.js';

/* Parameters stand in the order of their names in the comments; `rp` is `scopeParams`. */

const earlier = tableOf(EarlierName);
const e = tableOf(EarlierName, 'e');
const u = tableOf(User, 'u');
const x = tableOf(User, 'x');
const m = tableOf(Move, 'm');

const NEW_NAME = `INSERT INTO ${earlier.from}
  (${earlier.list('relyingPartyId', 'tenantId', 'username', 'until', 'userId')})`;

/** rp, name, until, user id. */
export const KEEP_EARLIER_NAME = `${NEW_NAME} VALUES (?, ?, ?, ?, ?)`;

/**
 * rp, name, until, user id, user id, id of another rp, new name, id of the other rp, folded new name: keeps
 * nothing where somebody has the new name at the other relying party, or the user has just come from there.
 */
export const KEEP_EARLIER_NAME_IF_FREE = `${NEW_NAME} SELECT ?, ?, ?, ?, ? FROM ${u.from}
  WHERE ${u.id} = ?
    AND NOT EXISTS (SELECT 1 FROM ${x.from} WHERE ${x.relyingPartyId} = ? AND ${x.username} = ?)
    AND NOT EXISTS (SELECT 1 FROM ${x.from} WHERE ${x.relyingPartyId} = ? AND ${x.foldedName} = ?)
    AND NOT EXISTS (SELECT 1 FROM ${m.from} JOIN ${x.from} ON ${x.id} = ${m.formerUserId}
      WHERE ${m.userId} = ${u.id})`;

/** rp, user id, limit: the name given up last comes first. */
export const EARLIER_NAMES_OF_USER = `SELECT ${earlier.select('username', 'until')} FROM ${earlier.from}
  WHERE ${earlier.positionalScope} AND ${earlier.userId} = ? ORDER BY ${earlier.until} DESC LIMIT ?`;

/** rp, name, limit: users who had this name before, with today's; who gave it up last comes first. */
export const ONCE_CALLED = `SELECT ${e.select('userId', 'until')}, ${u.select('username')}
  FROM ${e.from} JOIN ${u.from} ON ${u.id} = ${e.userId}
  WHERE ${e.positionalScope} AND ${e.username} = ? ORDER BY ${e.until} DESC LIMIT ?`;
