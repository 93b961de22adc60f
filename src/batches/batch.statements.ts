import type { Scope } from '../platform/database/scope.js';
import { tableOf } from '../platform/database/entities/table.js';
import { sql } from '../platform/database/statement.js';
import { Batch } from './batch.entity.js';

const batches = tableOf(Batch);

const count = (keys: string, users: string) =>
  sql<Scope & Pick<Batch, 'id' | 'state' | 'job'> & { keys: number; users: number }>(
    `UPDATE ${batches.from} SET ${keys} = ${keys} + :keys, ${users} = ${users} + :users
  WHERE ${batches.scope} AND ${batches.id} = :id AND ${batches.state} = :state
    AND ${batches.job} = :job`,
  );

export const COUNT_CHANGED = count(batches.changedKeys, batches.changedUsers);
export const COUNT_UNDONE = count(batches.undoneKeys, batches.undoneUsers);
