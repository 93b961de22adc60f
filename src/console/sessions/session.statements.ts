import { sql } from '../../platform/database/statement.js';
import type { Account } from '../../platform/access/accounts/account.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { ConsoleSession } from './console-session.entity.js';

const s = tableOf(ConsoleSession);

/** The columns of a session that are read at each call. */
export type SessionRow = Omit<ConsoleSession, 'address' | 'browser'>;

export const SESSION_BY_ID = sql<{ id: Buffer }, SessionRow>(
  `SELECT ${s.select(...s.except('address', 'browser'))} FROM ${s.from} WHERE ${s.id} = :id`,
  { small: true },
);

/** Notes a use, unless one has been noted since `before`: it is noted once a minute. */
export const NOTE_SESSION_USE = sql<{ id: Buffer; now: number; before: number }>(
  `UPDATE ${s.from} SET ${s.usedAt} = :now WHERE ${s.id} = :id AND ${s.usedAt} <= :before`,
);

/** Replaces a secret, if it is still the present one. */
export const ROTATE_SESSION = sql<{
  id: Buffer;
  secretHash: Buffer;
  newSecretHash: Buffer;
  now: number;
}>(`UPDATE ${s.from}
  SET ${s.previousHash} = ${s.secretHash}, ${s.secretHash} = :newSecretHash, ${s.rotatedAt} = :now
  WHERE ${s.id} = :id AND ${s.secretHash} = :secretHash`);

/** Touches a session, unchanged, if nobody has ended it. */
export const SESSION_GOES_ON = sql<{ id: Buffer }>(
  `UPDATE ${s.from} SET ${s.usedAt} = ${s.usedAt} WHERE ${s.id} = :id`,
);

/** Ends the sessions of an account but one; all of them where that is empty. */
const END_OTHER_SESSIONS = sql<{ account: string; keep: Buffer }>(
  `DELETE FROM ${s.from} WHERE ${s.account} = :account AND ${s.id} <> :keep`,
);

/** The ID of the session in which somebody is signed in; empty with HTTP Basic. */
export const sessionOf = ({ session = '' }: Account): Buffer => Buffer.from(session, 'base64url');

/** Ends all sessions of an account but that in which it asks for it. */
export const endOtherSessions = (by: Account): Step =>
  END_OTHER_SESSIONS.step({ account: by.name, keep: sessionOf(by) });

/** Deletes sessions that have ended, and those that nobody has used since `idleSince`. */
export const DELETE_ENDED_SESSIONS = sql<{ now: number; idleSince: number }>(
  `DELETE FROM ${s.from} WHERE ${s.endsAt} <= :now OR ${s.usedAt} <= :idleSince`,
);
