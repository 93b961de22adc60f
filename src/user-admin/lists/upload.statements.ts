import { select, sql, type RowOf } from '../../platform/database/statement.js';
import { User } from '../../users/user.entity.js';
import { computed, COUNT, forEachKind, tableOf } from '../../platform/database/entities/table.js';
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

export const LINES_AFTER = select(
  line.pick('line', 'username', 'shown', 'userId', 'outcome', 'credentials'),
).from<{ uploadId: Buffer; after: number; limit: number }>(`
  ${line.from} WHERE ${line.uploadId} = :uploadId AND ${line.line} > :after
  ORDER BY ${line.line} LIMIT :limit`);

export type LineRow = RowOf<typeof LINES_AFTER>;

/** The number of lines with each outcome; lines that are not names are counted separately. */
export const TALLY_LINES = select({
  named: computed<number>(`${line.username} IS NOT NULL`),
  ...line.pick('outcome'),
  ...COUNT,
  c: computed<number>(`CAST(SUM(${line.credentials}) AS SIGNED)`),
}).from<{ uploadId: Buffer }>(`
  ${line.from} WHERE ${line.uploadId} = :uploadId GROUP BY 1, 2`);

export const NOTE_DELETED = sql<Pick<UploadLine, 'uploadId' | 'line' | 'credentials' | 'outcome'>>(
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
export const COUNT_FOUND = select({
  named: computed<number>(`COUNT(${l.username})`),
  found: computed<number>(
    `COUNT(CASE WHEN ${isUserOf(':relyingPartyId')} OR ${isUserOf(':predecessorId')} THEN 1 END)`,
  ),
}).from<Places & { uploadId: Buffer; after: number; last: number }>(
  `${l.from} WHERE ${l.uploadId} = :uploadId AND ${l.line} > :after AND ${l.line} <= :last`,
  { patienceMs: 30_000 },
);

export const NAMES_ON_LIST = select({ username: computed<Buffer>(line.username) }).from<{
  uploadId: Buffer;
  names: readonly Buffer[];
}>(`
  ${line.from} WHERE ${line.uploadId} = :uploadId AND ${line.username} IN (:...names)`);

/** Replaces a name in lists, except in lines that name another user who has or had it. */
export const FORGET_NAME = sql<
  Record<'name' | 'pseudonym' | 'userId', Buffer> & { ids: readonly Buffer[] }
>(
  `UPDATE ${line.from} SET ${line.shown} = :pseudonym, ${line.username} = NULL, ${line.userId} = NULL
  WHERE ${line.uploadId} IN (:...ids) AND ${line.username} = :name
    AND NOT EXISTS (SELECT 1 FROM ${u.from}
      WHERE ${u.id} = ${line.from}.${line.userId} AND ${u.id} <> :userId)`,
);
