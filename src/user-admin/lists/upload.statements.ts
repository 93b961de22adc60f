import { select, sql, type RowOf } from '../../platform/database/statement.js';
import { User } from '../../users/user.entity.js';
import { computed, COUNT, forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { UploadLine } from './upload.entity.js';

/*
 * Statements on the lines of a single list, which may be a million. They need no scope, since the list's ID
 * is a secret of the account that uploaded it.
 */

const lines = tableOf(UploadLine);
const line = tableOf(UploadLine, 'l');
const user = tableOf(User, 'u');

/** Of several lines with the same name, only the first is stored. */
export const INSERT_LINES = forEachKind((kind) =>
  sql<{ rows: readonly Pick<UploadLine, 'uploadId' | 'line' | 'username' | 'shown'>[] }>(
    `INSERT ${kind === 'sqlite' ? 'OR IGNORE' : 'IGNORE'} INTO
      ${lines.rows('uploadId', 'line', 'username', 'shown')}`,
  ),
);

interface Places {
  readonly relyingPartyId: Buffer;
  /** The relying party itself if it has no predecessor. */
  readonly predecessorId: Buffer;
}

const userOfLine = (relyingParty: string) => `(SELECT ${user.id} FROM ${user.from}
    WHERE ${user.relyingPartyId} = ${relyingParty} AND ${user.username} = ${lines.from}.${lines.username})`;

/** Stores the users whom new lines name; `nobody` is zeros. */
export const BIND_LINES = sql<
  Places & { uploadId: Buffer; first: number; last: number; nobody: Buffer }
>(`UPDATE ${lines.from}
  SET ${lines.userId} = COALESCE(${userOfLine(':relyingPartyId')}, ${userOfLine(':predecessorId')}, :nobody)
  WHERE ${lines.uploadId} = :uploadId AND ${lines.line} BETWEEN :first AND :last
    AND ${lines.username} IS NOT NULL`);

export const LINES_AFTER = select(
  lines.pick('line', 'username', 'shown', 'userId', 'outcome', 'credentials'),
).from<{ uploadId: Buffer; after: number; limit: number }>(`
  ${lines.from} WHERE ${lines.uploadId} = :uploadId AND ${lines.line} > :after
  ORDER BY ${lines.line} LIMIT :limit`);

export type LineRow = RowOf<typeof LINES_AFTER>;

/** The number of lines with each outcome; lines that are not names are counted separately. */
export const TALLY_LINES = select({
  named: computed<number>(`${lines.username} IS NOT NULL`),
  ...lines.pick('outcome'),
  ...COUNT,
  c: computed<number>(`CAST(SUM(${lines.credentials}) AS SIGNED)`),
}).from<{ uploadId: Buffer }>(`
  ${lines.from} WHERE ${lines.uploadId} = :uploadId GROUP BY 1, 2`);

export const NOTE_DELETED = sql<Pick<UploadLine, 'uploadId' | 'line' | 'credentials' | 'outcome'>>(
  `UPDATE ${lines.from}
  SET ${lines.outcome} = :outcome, ${lines.credentials} = ${lines.credentials} + :credentials
  WHERE ${lines.uploadId} = :uploadId AND ${lines.line} = :line`,
);

/** Records for names without an outcome that there is no such user. */
export const NOTE_MISSING = sql<{ uploadId: Buffer; first: number; last: number }>(
  `UPDATE ${lines.from} SET ${lines.outcome} = 'missing'
  WHERE ${lines.uploadId} = :uploadId AND ${lines.line} BETWEEN :first AND :last
    AND ${lines.username} IS NOT NULL AND ${lines.outcome} IS NULL`,
);

const isUserOf = (relyingParty: string) => `EXISTS (SELECT 1 FROM ${user.from}
    WHERE ${user.relyingPartyId} = ${relyingParty} AND ${user.username} = ${line.username}
      AND (${line.userId} IS NULL OR ${user.id} = ${line.userId}))`;

/** The number of names among these lines that still mean the same users. */
export const COUNT_FOUND = select({
  found: computed<number>(
    `COUNT(CASE WHEN ${isUserOf(':relyingPartyId')} OR ${isUserOf(':predecessorId')} THEN 1 END)`,
  ),
}).from<Places & { uploadId: Buffer; after: number; last: number }>(
  `${line.from} WHERE ${line.uploadId} = :uploadId AND ${line.line} > :after AND ${line.line} <= :last`,
  { patienceMs: 30_000 },
);

export const NAMES_ON_LIST = select({ username: computed<Buffer>(lines.username) }).from<{
  uploadId: Buffer;
  names: readonly Buffer[];
}>(`
  ${lines.from} WHERE ${lines.uploadId} = :uploadId AND ${lines.username} IN (:...names)`);

/** Replaces a name in lists, except in lines that name another user who has or had it. */
export const FORGET_NAME = sql<
  Record<'name' | 'pseudonym' | 'userId', Buffer> & { ids: readonly Buffer[] }
>(
  `UPDATE ${lines.from} SET ${lines.shown} = :pseudonym, ${lines.username} = NULL, ${lines.userId} = NULL
  WHERE ${lines.uploadId} IN (:...ids) AND ${lines.username} = :name
    AND NOT EXISTS (SELECT 1 FROM ${user.from}
      WHERE ${user.id} = ${lines.from}.${lines.userId} AND ${user.id} <> :userId)`,
);
