import { sql } from '../../platform/database/statement.js';
import { User } from '../../users/user.entity.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { UploadLine } from './upload.entity.js';

/*
 * Statements on the lines of a single list, which may be a million. They need no scope, since the list's ID
 * is a secret of the account that uploaded it.
 */

const line = tableOf(UploadLine);
const l = tableOf(UploadLine, 'l');
const u = tableOf(User, 'u');

/** Of several lines with the same name, only the first is stored. */
export const INSERT_LINES = forEachKind((kind) =>
  sql<{ rows: readonly Pick<UploadLine, 'uploadId' | 'line' | 'username' | 'shown'>[] }>(
    `INSERT ${kind === 'sqlite' ? 'OR IGNORE' : 'IGNORE'} INTO
      ${line.rows('uploadId', 'line', 'username', 'shown')}`,
  ),
);

interface Places {
  readonly relyingPartyId: Buffer;
  /** The relying party itself if it has no predecessor. */
  readonly predecessorId: Buffer;
}

const userOfLine = (relyingParty: string) => `(SELECT ${u.id} FROM ${u.from}
    WHERE ${u.relyingPartyId} = ${relyingParty} AND ${u.username} = ${line.from}.${line.username})`;

/** Stores the users whom new lines name; `nobody` is zeros. */
export const BIND_LINES = sql<
  Places & { uploadId: Buffer; first: number; last: number; nobody: Buffer }
>(`UPDATE ${line.from}
  SET ${line.userId} = COALESCE(${userOfLine(':relyingPartyId')}, ${userOfLine(':predecessorId')}, :nobody)
  WHERE ${line.uploadId} = :uploadId AND ${line.line} BETWEEN :first AND :last
    AND ${line.username} IS NOT NULL`);

export type LineOutcome = 'deleted' | 'missing';
export type LineRow = Omit<UploadLine, 'uploadId' | 'outcome'> & {
  readonly outcome: LineOutcome | null;
};

export const LINES_AFTER = sql<{ uploadId: Buffer; after: number; limit: number }, LineRow>(
  `SELECT ${line.select('line', 'username', 'shown', 'userId', 'outcome', 'credentials')}
  FROM ${line.from} WHERE ${line.uploadId} = :uploadId AND ${line.line} > :after
  ORDER BY ${line.line} LIMIT :limit`,
);

/** The number of lines with each outcome; lines that are not names are counted separately. */
export const TALLY_LINES = sql<
  { uploadId: Buffer },
  { named: number; outcome: LineOutcome | null; n: number; c: number }
>(`SELECT ${line.username} IS NOT NULL AS named, ${line.outcome},
    COUNT(*) AS n, CAST(SUM(${line.credentials}) AS SIGNED) AS c
  FROM ${line.from} WHERE ${line.uploadId} = :uploadId GROUP BY 1, 2`);

export const NOTE_DELETED = sql<
  Pick<UploadLine, 'uploadId' | 'line' | 'credentials'> & { outcome: LineOutcome | null }
>(
  `UPDATE ${line.from}
  SET ${line.outcome} = :outcome, ${line.credentials} = ${line.credentials} + :credentials
  WHERE ${line.uploadId} = :uploadId AND ${line.line} = :line`,
);

/** Records for names without an outcome that there is no such user. */
export const NOTE_MISSING = sql<{ uploadId: Buffer; first: number; last: number }>(
  `UPDATE ${line.from} SET ${line.outcome} = 'missing'
  WHERE ${line.uploadId} = :uploadId AND ${line.line} BETWEEN :first AND :last
    AND ${line.username} IS NOT NULL AND ${line.outcome} IS NULL`,
);

const isUserOf = (relyingParty: string) => `EXISTS (SELECT 1 FROM ${u.from}
    WHERE ${u.relyingPartyId} = ${relyingParty} AND ${u.username} = ${l.username}
      AND (${l.userId} IS NULL OR ${u.id} = ${l.userId}))`;

/** The number of names among these lines, and of names that still mean the same users. */
export const COUNT_FOUND = sql<
  Places & { uploadId: Buffer; after: number; last: number },
  { named: number; found: number }
>(
  `SELECT COUNT(${l.username}) AS named,
    COUNT(CASE WHEN ${isUserOf(':relyingPartyId')} OR ${isUserOf(':predecessorId')} THEN 1 END) AS found
  FROM ${l.from}
  WHERE ${l.uploadId} = :uploadId AND ${l.line} > :after AND ${l.line} <= :last`,
  { patienceMs: 30_000 },
);

export const NAMES_ON_LIST = sql<
  { uploadId: Buffer; names: readonly Buffer[] },
  { username: Buffer }
>(`SELECT ${line.username} FROM ${line.from}
  WHERE ${line.uploadId} = :uploadId AND ${line.username} IN (:...names)`);

/** Replaces a name in lists, except in lines that name another user who has or had it. */
export const FORGET_NAME = sql<
  Record<'name' | 'pseudonym' | 'userId', Buffer> & { ids: readonly Buffer[] }
>(
  `UPDATE ${line.from} SET ${line.shown} = :pseudonym, ${line.username} = NULL, ${line.userId} = NULL
  WHERE ${line.uploadId} IN (:...ids) AND ${line.username} = :name
    AND NOT EXISTS (SELECT 1 FROM ${u.from}
      WHERE ${u.id} = ${line.from}.${line.userId} AND ${u.id} <> :userId)`,
);
