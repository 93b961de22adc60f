import type { Scope } from '../platform/database/scope.js';
import { tableOf } from '../platform/database/entities/table.js';
import { sql } from '../platform/database/statement.js';
import { Batch } from './batch.entity.js';

const batch = tableOf(Batch);

const count = (keys: string, users: string) =>
  sql<Scope & Pick<Batch, 'id' | 'state' | 'job'> & { keys: number; users: number }>(
    `UPDATE ${batch.from} SET ${keys} = ${keys} + :keys, ${users} = ${users} + :users
  WHERE ${batch.scope} AND ${batch.id} = :id AND ${batch.state} = :state
    AND ${batch.job} = :job`,
  );

export const COUNT_CHANGED = count(batch.changedKeys, batch.changedUsers);
export const COUNT_UNDONE = count(batch.undoneKeys, batch.undoneUsers);
