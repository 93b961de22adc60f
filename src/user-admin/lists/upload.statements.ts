import { User } from '../../users/user.entity.js';
import type { DatabaseKind } from '../../platform/database/columns.js';
import { marksOf } from '../../platform/database/padded.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { UploadEntity } from './upload.entity.js';
import { UploadLine } from './upload-line.entity.js';

/*
 * Statements about the lines of one list each, which may be a million. They need no scope, since the list's
 * ID is a secret of the account that uploaded it. Comments name the parameters in their order.
 */

const line = tableOf(UploadLine);
const upload = tableOf(UploadEntity);
const l = tableOf(UploadLine, 'l');
const u = tableOf(User, 'u');

const NEW_LINES = `INTO ${line.from} (${line.list('uploadId', 'line', 'username', 'shown')}) VALUES`;

/** Of several lines with one name, only the first is stored. */
const INSERT_ONCE = {
  sqlite: `INSERT OR IGNORE ${NEW_LINES}`,
  mysql: `INSERT IGNORE ${NEW_LINES}`,
} as const;

/** upload id, line, username, shown; once for each line. */
export const insertLines = (kind: DatabaseKind, lines: readonly unknown[]) =>
  `${INSERT_ONCE[kind]} ${lines.map(() => '(?, ?, ?, ?)').join(', ')}`;

/** upload id, line, limit: the next lines behind that one. */
export const LINES_BEHIND = `SELECT ${line.select('line', 'username', 'shown', 'outcome', 'credentials')}
  FROM ${line.from} WHERE ${line.uploadId} = ? AND ${line.line} > ? ORDER BY ${line.line} LIMIT ?`;

/** upload id: how many lines have each outcome, those that are no names apart. */
export const TALLY_LINES = `SELECT ${line.username} IS NOT NULL AS named, ${line.outcome},
    COUNT(*) AS n, SUM(${line.credentials}) AS c
  FROM ${line.from} WHERE ${line.uploadId} = ? GROUP BY 1, 2`;

/** credentials, upload id, line: notes that the user of a line is deleted. */
export const NOTE_DELETED = `UPDATE ${line.from}
  SET ${line.outcome} = 'deleted', ${line.credentials} = ${line.credentials} + ?
  WHERE ${line.uploadId} = ? AND ${line.line} = ?`;

/** upload id, first, last: notes for names without an outcome that there is no such user. */
export const NOTE_MISSING = `UPDATE ${line.from} SET ${line.outcome} = 'missing'
  WHERE ${line.uploadId} = ? AND ${line.line} BETWEEN ? AND ?
    AND ${line.username} IS NOT NULL AND ${line.outcome} IS NULL`;

const IS_USER = `EXISTS (SELECT 1 FROM ${u.from}
    WHERE ${u.relyingPartyId} = ? AND ${u.username} = ${l.username})`;

/**
 * id of rp, id of the one that it takes its users from (or the same), upload id, line, last line: how many of
 * these lines are names, and how many of the names are users.
 */
export const COUNT_FOUND = `SELECT COUNT(${l.username}) AS named,
    SUM(CASE WHEN ${IS_USER} OR ${IS_USER} THEN 1 ELSE 0 END) AS found
  FROM ${l.from} WHERE ${l.uploadId} = ? AND ${l.line} > ? AND ${l.line} <= ?`;

/** upload id, names: which of the names the list has. */
export const namesOnList = (names: readonly unknown[]) => `SELECT ${line.username} FROM ${line.from}
  WHERE ${line.uploadId} = ? AND ${line.username} IN (${marksOf(names)})`;

/** pseudonym, id of rp, username: replaces a name in all lists of the relying party. */
export const FORGET_NAME = `UPDATE ${line.from} SET ${line.shown} = ?, ${line.username} = NULL
  WHERE ${line.uploadId} IN (SELECT ${upload.id} FROM ${upload.from} WHERE ${upload.relyingPartyId} = ?)
    AND ${line.username} = ?`;

/** upload id: the last line. */
export const LAST_LINE = `SELECT MAX(${line.line}) AS last FROM ${line.from}
  WHERE ${line.uploadId} = ?`;
