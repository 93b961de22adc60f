import { User } from '../../credentials/user.entity.js';
import type { DatabaseKind } from '../../database/columns.js';
import { marksOf } from '../../database/padded.js';
import { tableOf } from '../../database/entities/table.js';
import { UploadEntity } from './upload.entity.js';
import { UploadLine } from './upload-line.entity.js';

/*
 * What is asked of the lines of lists, which may be a million: of one list each, whose id is a secret
 * of the account that uploaded it. Parameters stand in the order of their names in the comments.
 */

const line = tableOf(UploadLine);
const upload = tableOf(UploadEntity);
const l = tableOf(UploadLine, 'l');
const u = tableOf(User, 'u');

const NEW_LINES = `INTO ${line.from} (${line.list('uploadId', 'line', 'username', 'shown')}) VALUES`;

/** The first line of a name wins. */
const INSERT_ONCE = {
  sqlite: `INSERT OR IGNORE ${NEW_LINES}`,
  mysql: `INSERT IGNORE ${NEW_LINES}`,
} as const;

/** Of each line: upload id, line, username, shown. */
export const insertLines = (kind: DatabaseKind, lines: readonly unknown[]) =>
  `${INSERT_ONCE[kind]} ${lines.map(() => '(?, ?, ?, ?)').join(', ')}`;

/** upload id, line, limit: the next lines behind one. */
export const LINES_BEHIND = `SELECT ${line.select('line', 'username', 'shown', 'outcome', 'credentials')}
  FROM ${line.from} WHERE ${line.uploadId} = ? AND ${line.line} > ? ORDER BY ${line.line} LIMIT ?`;

/** upload id. */
export const TALLY_LINES = `SELECT ${line.username} IS NOT NULL AS named, ${line.outcome},
    COUNT(*) AS n, SUM(${line.credentials}) AS c
  FROM ${line.from} WHERE ${line.uploadId} = ? GROUP BY 1, 2`;

/** credentials, upload id, line. */
export const NOTE_DELETED = `UPDATE ${line.from}
  SET ${line.outcome} = 'deleted', ${line.credentials} = ${line.credentials} + ?
  WHERE ${line.uploadId} = ? AND ${line.line} = ?`;

/** upload id, first, last. */
export const NOTE_MISSING = `UPDATE ${line.from} SET ${line.outcome} = 'missing'
  WHERE ${line.uploadId} = ? AND ${line.line} BETWEEN ? AND ?
    AND ${line.username} IS NOT NULL AND ${line.outcome} IS NULL`;

const IS_USER = `EXISTS (SELECT 1 FROM ${u.from}
    WHERE ${u.relyingPartyId} = ? AND ${u.username} = ${l.username})`;

/**
 * id of rp, id of the one from which people come (or the same), upload id, line, last line: how many names of
 * these lines there are, and are users.
 */
export const COUNT_FOUND = `SELECT COUNT(${l.username}) AS named,
    SUM(CASE WHEN ${IS_USER} OR ${IS_USER} THEN 1 ELSE 0 END) AS found
  FROM ${l.from} WHERE ${l.uploadId} = ? AND ${l.line} > ? AND ${l.line} <= ?`;

/** upload id, names: those that the list has. */
export const namesOnList = (names: readonly unknown[]) => `SELECT ${line.username} FROM ${line.from}
  WHERE ${line.uploadId} = ? AND ${line.username} IN (${marksOf(names)})`;

/** name instead, id of rp, username: in all lists that are kept for the relying party. */
export const FORGET_NAME = `UPDATE ${line.from} SET ${line.shown} = ?, ${line.username} = NULL
  WHERE ${line.uploadId} IN (SELECT ${upload.id} FROM ${upload.from} WHERE ${upload.relyingPartyId} = ?)
    AND ${line.username} = ?`;

/** upload id. */
export const LAST_LINE = `SELECT MAX(${line.line}) AS last FROM ${line.from}
  WHERE ${line.uploadId} = ?`;
