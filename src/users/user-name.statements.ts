import { tableOf } from '../platform/database/entities/table.js';
import type { Scope } from '../platform/database/scope.js';
import { sql } from '../platform/database/statement.js';
import { User } from './user.entity.js';

const user = tableOf(User);

export const NAMES_OF_USERS = sql<
  Scope & { ids: readonly Buffer[] },
  { id: Buffer; username: Buffer; displayName: string }
>(`SELECT ${user.select('id', 'username', 'displayName')} FROM ${user.from}
  WHERE ${user.scopeWithoutIndex} AND ${user.id} IN (:...ids)`);
