import { tableOf } from '../../database/entities/table.js';
import { User } from '../user.entity.js';
import { EarlierName } from './earlier-name.entity.js';

/* Parameters stand in the order of their names in the comments; `rp` is `scopeParams`. */

const earlier = tableOf(EarlierName);
const e = tableOf(EarlierName, 'e');
const u = tableOf(User, 'u');

/** rp, name, until, user id. */
export const KEEP_EARLIER_NAME = `INSERT INTO ${earlier.from}
  (${earlier.list('relyingPartyId', 'tenantId', 'username', 'until', 'userId')}) VALUES (?, ?, ?, ?, ?)`;

/** rp, user id, limit: the name given up last comes first. */
export const EARLIER_NAMES_OF_USER = `SELECT ${earlier.select('username', 'until')} FROM ${earlier.from}
  WHERE ${earlier.scope} AND ${earlier.userId} = ? ORDER BY ${earlier.until} DESC LIMIT ?`;

/** rp, name, limit: users who had this name before, with today's; who gave it up last comes first. */
export const ONCE_CALLED = `SELECT ${e.select('userId', 'until')}, ${u.select('username')}
  FROM ${e.from} JOIN ${u.from} ON ${u.id} = ${e.userId}
  WHERE ${e.scope} AND ${e.username} = ? ORDER BY ${e.until} DESC LIMIT ?`;
