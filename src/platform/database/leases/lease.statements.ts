import { tableOf } from '../entities/table.js';
import { LeaseEntity } from './lease.entity.js';

const lease = tableOf(LeaseEntity);

/** Parameters: name. */
export const LEASE = `SELECT ${lease.select('holder', 'beat')} FROM ${lease.from}
  WHERE ${lease.name} = ?`;

/** Parameters: name, holder. Throws where the job has a lease already. */
export const FIRST_LEASE = `INSERT INTO ${lease.from} (${lease.list('name', 'holder', 'beat')})
  VALUES (?, ?, 1)`;

/** Parameters: new holder, name, holder, beat. Changes nothing where holder or beat have changed. */
export const MOVE_LEASE = `UPDATE ${lease.from}
  SET ${lease.holder} = ?, ${lease.beat} = ${lease.beat} + 1
  WHERE ${lease.name} = ? AND ${lease.holder} = ? AND ${lease.beat} = ?`;

/** Parameters: name, holder. */
export const GIVE_BACK_LEASE = `UPDATE ${lease.from} SET ${lease.holder} = ''
  WHERE ${lease.name} = ? AND ${lease.holder} = ?`;

/** All leases with their beats, which rise while servers run. */
export const BEATS = `SELECT ${lease.select('name', 'beat')} FROM ${lease.from}
  ORDER BY ${lease.name}`;
