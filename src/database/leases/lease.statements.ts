import { tableOf } from '../entities/table.js';
import { LeaseEntity } from './lease.entity.js';

const lease = tableOf(LeaseEntity);

/** name. */
export const LEASE = `SELECT ${lease.select('holder', 'beat')} FROM ${lease.from}
  WHERE ${lease.name} = ?`;

/** name, holder: throws where there is one. */
export const FIRST_LEASE = `INSERT INTO ${lease.from} (${lease.list('name', 'holder', 'beat')})
  VALUES (?, ?, 1)`;

/** new holder, name, holder, beat: by compare-and-set. */
export const MOVE_LEASE = `UPDATE ${lease.from}
  SET ${lease.holder} = ?, ${lease.beat} = ${lease.beat} + 1
  WHERE ${lease.name} = ? AND ${lease.holder} = ? AND ${lease.beat} = ?`;

/** name, holder. */
export const GIVE_BACK_LEASE = `UPDATE ${lease.from} SET ${lease.holder} = ''
  WHERE ${lease.name} = ? AND ${lease.holder} = ?`;
