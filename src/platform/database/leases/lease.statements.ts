import type { NoParams } from '../statement.js';
import { sql } from '../statement.js';
import { tableOf } from '../entities/table.js';
import { LeaseEntity } from './lease.entity.js';

const lease = tableOf(LeaseEntity);

export const LEASE = sql<{ name: string }, Pick<LeaseEntity, 'holder' | 'beat'>>(
  `SELECT ${lease.select('holder', 'beat')} FROM ${lease.from} WHERE ${lease.name} = :name`,
);

/** Throws where the job has a lease already. */
export const FIRST_LEASE = sql<Pick<LeaseEntity, 'name' | 'holder'>>(`INSERT INTO ${lease.from}
  (${lease.list('name', 'holder', 'beat')}) VALUES (:name, :holder, 1)`);

/** Changes nothing where holder or beat have changed. */
export const MOVE_LEASE = sql<LeaseEntity & { newHolder: string }>(`UPDATE ${lease.from}
  SET ${lease.holder} = :newHolder, ${lease.beat} = ${lease.beat} + 1
  WHERE ${lease.name} = :name AND ${lease.holder} = :holder AND ${lease.beat} = :beat`);

export const GIVE_BACK_LEASE = sql<Pick<LeaseEntity, 'name' | 'holder'>>(`UPDATE ${lease.from}
  SET ${lease.holder} = '' WHERE ${lease.name} = :name AND ${lease.holder} = :holder`);

/** All leases with their beats, which rise while servers run. */
export const BEATS = sql<NoParams, Pick<LeaseEntity, 'name' | 'beat'>>(
  `SELECT ${lease.select('name', 'beat')} FROM ${lease.from} ORDER BY ${lease.name}`,
);
