import { DATABASE_TIME } from '../../platform/database/server-facts.js';
import { select, sql } from '../../platform/database/statement.js';
import type { Account } from '../../platform/access/accounts/account.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { ConsoleSession } from './console-session.entity.js';

const sessions = tableOf(ConsoleSession);

/** With the time of the database, if it has its own clock. */
export const SESSION_BY_ID = forEachKind((kind) =>
  select({
    ...sessions.pick(...sessions.except('address', 'browser')),
    now: DATABASE_TIME[kind],
  }).from<{
    id: Buffer;
  }>(`${sessions.from} WHERE ${sessions.id} = :id`, { small: true }),
);

/** A session, and the time at which it was read. */
export type ReadSession = Omit<ConsoleSession, 'address' | 'browser'> & { readonly now: number };

export const SESSIONS_OF_ACCOUNT = forEachKind((kind) =>
  select({ ...sessions.pick(...sessions.names), now: DATABASE_TIME[kind] }).from<{
    account: string;
  }>(`${sessions.from} WHERE ${sessions.account} = :account ORDER BY ${sessions.id} DESC`),
);

/** Records a use, unless one was recorded since `before`: once a minute. */
export const NOTE_SESSION_USE = sql<{ id: Buffer; now: number; before: number }>(
  `UPDATE ${sessions.from} SET ${sessions.usedAt} = :now WHERE ${sessions.id} = :id AND ${sessions.usedAt} <= :before`,
);

/** Replaces a secret, if it is still the current one. */
export const ROTATE_SESSION = sql<{
  id: Buffer;
  secretHash: Buffer;
  newSecretHash: Buffer;
  now: number;
}>(`UPDATE ${sessions.from}
  SET ${sessions.previousHash} = ${sessions.secretHash}, ${sessions.secretHash} = :newSecretHash, ${sessions.rotatedAt} = :now
  WHERE ${sessions.id} = :id AND ${sessions.secretHash} = :secretHash`);

/** Updates a session without a change, if it has not ended. */
export const SESSION_GOES_ON = sql<{ id: Buffer }>(
  `UPDATE ${sessions.from} SET ${sessions.usedAt} = ${sessions.usedAt} WHERE ${sessions.id} = :id`,
);

/** Ends the sessions of an account except one; all of them if `keep` is empty. */
const END_OTHER_SESSIONS = sql<{ account: string; keep: Buffer }>(
  `DELETE FROM ${sessions.from} WHERE ${sessions.account} = :account AND ${sessions.id} <> :keep`,
);

/** The ID of the account's current session; empty with HTTP Basic. */
export const sessionOf = ({ session = '' }: Account): Buffer => Buffer.from(session, 'base64url');

/** Ends all sessions of an account except the current one. */
export const endOtherSessions = (by: Account): Step =>
  END_OTHER_SESSIONS.step({ account: by.name, keep: sessionOf(by) });

/** Deletes sessions that have ended, and sessions unused since `idleSince`. */
export const DELETE_ENDED_SESSIONS = sql<{ now: number; idleSince: number }>(
  `DELETE FROM ${sessions.from} WHERE ${sessions.endsAt} <= :now OR ${sessions.usedAt} <= :idleSince`,
);

export const END_SESSION = sql<{ id: Buffer }>(
  `DELETE FROM ${sessions.from} WHERE ${sessions.id} = :id`,
);

/** Replaces the OpenID provider's state of a session, if it is still the one that was read. */
export const REPLACE_PROVIDER_STATE = sql<{ id: Buffer; former: string; next: string }>(
  `UPDATE ${sessions.from} SET ${sessions.provider} = :next WHERE ${sessions.id} = :id AND ${sessions.provider} = :former`,
);
