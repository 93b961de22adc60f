import { tableOf } from '../platform/database/entities/table.js';
import { marksOf } from '../platform/database/padded.js';
import { AUDIT_COLUMNS } from './audit-row.js';
import { AuditEntity } from './audit.entity.js';

const audit = tableOf(AuditEntity);

/** Columns are selected by their own names, not the entity's, as hashes and answers expect them. */
const WRITTEN = AUDIT_COLUMNS.join(', ');
const COLUMNS = `${WRITTEN}, ${audit.erasedBy}`;

/** Parameters are the columns of a row. */
export const APPEND_ROW = `INSERT INTO ${audit.from} (${WRITTEN}) VALUES (${marksOf(AUDIT_COLUMNS)})`;

/** address, target, detail, erased by, seq: erases a row, unless somebody has done so meanwhile. */
const ERASE = `UPDATE ${audit.from}
  SET ${audit.address} = ?, ${audit.target} = ?, ${audit.detail} = ?, ${audit.salt} = NULL,
    ${audit.erasedBy} = ?
  WHERE ${audit.seq} = ?`;
export const ERASE_ROW = `${ERASE} AND ${audit.erasedBy} IS NULL`;

/** The same, and erased by: erases a row once more that was erased for somebody else before. */
export const ERASE_ROW_AGAIN = `${ERASE} AND ${audit.erasedBy} = ?`;

/** seq: the hash of a row. */
export const HASH_OF_ROW = `SELECT ${audit.hash} FROM ${audit.from} WHERE ${audit.seq} = ?`;

/** seq, limit: the chain behind a row. */
export const ROWS_BEHIND = `SELECT ${COLUMNS} FROM ${audit.from} WHERE ${audit.seq} > ?
  ORDER BY ${audit.seq} LIMIT ?`;

/** at: the first row since then, as times never go back along the chain. */
export const FIRST_SINCE = `SELECT MIN(${audit.seq}) AS seq FROM ${audit.from}
  WHERE ${audit.at} = (SELECT MIN(${audit.at}) FROM ${audit.from} WHERE ${audit.at} >= ?)`;

/**
 * action, tenant, result: the number of the last such row. COALESCE leaves the index by action as the only one
 * to go by: few rows have the action that is asked for, and nearly all have the result.
 */
export const LAST_OF_TENANT = `SELECT ${audit.seq} AS seq FROM ${audit.from}
  WHERE ${audit.action} = ? AND COALESCE(${audit.tenant}, '') = ? AND COALESCE(${audit.result}, '') = ?
  ORDER BY ${audit.seq} DESC LIMIT 1`;

/**
 * request IDs, twice: the first and the last row of each request. A change of many users has as many rows, and
 * these say who made it; both, since either may have been erased.
 */
export const rowsOfRequests = (ids: readonly string[]) => {
  const one = (pick: 'MIN' | 'MAX') =>
    `(SELECT ${pick}(${audit.seq}) FROM ${audit.from} WHERE ${audit.requestId} = ?)`;
  const picked = [...ids.map(() => one('MIN')), ...ids.map(() => one('MAX'))];
  return `SELECT ${COLUMNS} FROM ${audit.from} WHERE ${audit.seq} IN (${picked.join(', ')})`;
};

/** Conditions of a search: few texts, so that there are few statements. */
export const CONDITIONS = {
  range: `${audit.seq} >= ? AND ${audit.seq} < ?`,
  tenant: `${audit.tenant} = ? AND ${audit.seq} >= ?`,
  account: `${audit.account} = ?`,
  action: `${audit.action} = ?`,
  result: `${audit.result} = ?`,
  target: `${audit.target} >= ? AND ${audit.target} < ?`,
  request: `${audit.requestId} = ?`,
} as const;

/** The parameters of the conditions, limit: the newest first. */
export const rowsThat = (conditions: readonly string[]) =>
  `SELECT ${COLUMNS} FROM ${audit.from} WHERE ${conditions.join(' AND ')}
   ORDER BY ${audit.seq} DESC LIMIT ?`;
