import { DATABASE_TIME } from '../../platform/database/server-facts.js';
import { select, sql } from '../../platform/database/statement.js';
import type { Account } from '../../platform/access/accounts/account.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { ConsoleSession } from './console-session.entity.js';

const s = tableOf(ConsoleSession);

/** With the time of the database, if it has its own clock. */
export const SESSION_BY_ID = forEachKind((kind) =>
  select({ ...s.pick(...s.except('address', 'browser')), now: DATABASE_TIME[kind] }).from<{
    id: Buffer;
  }>(`${s.from} WHERE ${s.id} = :id`, { small: true }),
);

/** A session, and the time at which it was read. */
export type ReadSession = Omit<ConsoleSession, 'address' | 'browser'> & { readonly now: number };

export const SESSIONS_OF_ACCOUNT = forEachKind((kind) =>
  select({ ...s.pick(...s.names), now: DATABASE_TIME[kind] }).from<{ account: string }>(
    `${s.from} WHERE ${s.account} = :account ORDER BY ${s.id} DESC`,
  ),
);

/** Records a use, unless one was recorded since `before`: once a minute. */
export const NOTE_SESSION_USE = sql<{ id: Buffer; now: number; before: number }>(
  `UPDATE ${s.from} SET ${s.usedAt} = :now WHERE ${s.id} = :id AND ${s.usedAt} <= :before`,
);

/** Replaces a secret, if it is still the current one. */
export const ROTATE_SESSION = sql<{
  id: Buffer;
  secretHash: Buffer;
  newSecretHash: Buffer;
  now: number;
}>(`UPDATE ${s.from}
  SET ${s.previousHash} = ${s.secretHash}, ${s.secretHash} = :newSecretHash, ${s.rotatedAt} = :now
  WHERE ${s.id} = :id AND ${s.secretHash} = :secretHash`);

/** Updates a session without a change, if it has not ended. */
export const SESSION_GOES_ON = sql<{ id: Buffer }>(
  `UPDATE ${s.from} SET ${s.usedAt} = ${s.usedAt} WHERE ${s.id} = :id`,
);

/** Ends the sessions of an account except one; all of them if `keep` is empty. */
const END_OTHER_SESSIONS = sql<{ account: string; keep: Buffer }>(
  `DELETE FROM ${s.from} WHERE ${s.account} = :account AND ${s.id} <> :keep`,
);

/** The ID of the account's current session; empty with HTTP Basic. */
export const sessionOf = ({ session = '' }: Account): Buffer => Buffer.from(session, 'base64url');

/** Ends all sessions of an account except the current one. */
export const endOtherSessions = (by: Account): Step =>
  END_OTHER_SESSIONS.step({ account: by.name, keep: sessionOf(by) });

/** Deletes sessions that have ended, and sessions unused since `idleSince`. */
export const DELETE_ENDED_SESSIONS = sql<{ now: number; idleSince: number }>(
  `DELETE FROM ${s.from} WHERE ${s.endsAt} <= :now OR ${s.usedAt} <= :idleSince`,
);

export const END_SESSION = sql<{ id: Buffer }>(`DELETE FROM ${s.from} WHERE ${s.id} = :id`);

/** Replaces the OpenID provider's state of a session, if it is still the one that was read. */
export const REPLACE_PROVIDER_STATE = sql<{ id: Buffer; former: string; next: string }>(
  `UPDATE ${s.from} SET ${s.provider} = :next WHERE ${s.id} = :id AND ${s.provider} = :former`,
);
