import { tableOf } from '../../platform/database/entities/table.js';
import { sql } from '../../platform/database/statement.js';
import { ConsoleSession } from '../sessions/console-session.entity.js';

const s = tableOf(ConsoleSession);

/** Replaces the provider's state of a session, if it is still the one that was read. */
export const REPLACE_PROVIDER_STATE = sql<{ id: Buffer; former: string; next: string }>(
  `UPDATE ${s.from} SET ${s.provider} = :next WHERE ${s.id} = :id AND ${s.provider} = :former`,
);

export const END_PROVIDER_SESSION = sql<{ id: Buffer }>(
  `DELETE FROM ${s.from} WHERE ${s.id} = :id`,
);
