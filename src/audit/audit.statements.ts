import {
  type DatabaseKind,
  forEachKind,
  tableOf,
  type RowOf,
} from '../platform/database/entities/table.js';
import { sql, type NoParams } from '../platform/database/statement.js';
import type { AuditAction } from './audit-entry.js';
import { AuditRow } from './audit-row.entity.js';

const audit = tableOf(AuditRow);

const COLUMNS = audit.select(...audit.names);

export const APPEND_ROW = sql<Omit<AuditRow, 'erasedBy'>>(
  `INSERT INTO ${audit.row(...audit.except('erasedBy'))}`,
);

type Erasure = RowOf<AuditRow, 'seq' | 'address' | 'target' | 'detail'> & {
  readonly erasedBy: number;
};

/** Locks the rows that an erasure has erased, or with 0 those that none has, without changing them. */
export const LOCK_ERASED_BY = sql<{ seqs: readonly number[]; erasedBy: number }>(
  `UPDATE ${audit.from} SET ${audit.erasedBy} = ${audit.erasedBy}
  WHERE ${audit.seq} IN (:...seqs) AND COALESCE(${audit.erasedBy}, 0) = :erasedBy`,
);

export const ERASE_ROW = sql<Erasure>(`UPDATE ${audit.from}
  SET ${audit.address} = :address, ${audit.target} = :target, ${audit.detail} = :detail,
    ${audit.salt} = NULL, ${audit.erasedBy} = :erasedBy
  WHERE ${audit.seq} = :seq`);

export const HASH_OF_ROW = sql<{ seq: number }, { hash: Buffer }>(
  `SELECT ${audit.hash} FROM ${audit.from} WHERE ${audit.seq} = :seq`,
);

export const ROWS_AFTER = sql<{ after: number; limit: number }, AuditRow>(
  `SELECT ${COLUMNS} FROM ${audit.from} WHERE ${audit.seq} > :after
  ORDER BY ${audit.seq} LIMIT :limit`,
);

/** The rows of a tenant after a row, in the order of their numbers. */
export const ROWS_OF_TENANT_AFTER = forEachKind((kind) =>
  sql<{ tenant: Buffer; after: number; limit: number }, AuditRow>(
    `SELECT ${COLUMNS} FROM ${audit.forceIndex(kind, 'ix_audit_tenant')}
    WHERE ${audit.tenant} = :tenant AND ${audit.seq} > :after
    ORDER BY ${audit.seq} LIMIT :limit`,
  ),
);

/** When an account last signed in at the console, among its last rows. */
export const LAST_SIGN_IN = sql<{ account: Buffer }, { at: number }>(
  `SELECT r.at FROM (
    SELECT ${audit.select('seq', 'at', 'action', 'result')} FROM ${audit.from}
    WHERE ${audit.account} = :account ORDER BY ${audit.seq} DESC LIMIT 250) r
  WHERE r.action IN ('console.sign-in', 'account.setup') AND r.result = 'ok'
  ORDER BY r.seq DESC LIMIT 1`,
);

export const LAST_ROW = sql<NoParams, { seq: number | null }>(
  `SELECT MAX(${audit.seq}) AS seq FROM ${audit.from}`,
);

export const ROWS_OF_ACTION = sql<{ action: AuditAction }, { seq: number; hash: Buffer }>(
  `SELECT ${audit.select('seq', 'hash')} FROM ${audit.from} WHERE ${audit.action} = :action
  ORDER BY ${audit.seq}`,
);

/** The accounts with a row of an action since a time; few rows have such an action. */
export const ACCOUNTS_OF_ACTION = sql<{ action: AuditAction; at: number }, { account: Buffer }>(
  `SELECT DISTINCT ${audit.account} AS account FROM ${audit.from}
  WHERE ${audit.action} = :action AND ${audit.at} >= :at`,
);

/** The first row since a time, because times never decrease along the chain. */
export const FIRST_SINCE = sql<{ at: number }, { seq: number | null }>(
  `SELECT MIN(${audit.seq}) AS seq FROM ${audit.from}
  WHERE ${audit.at} = (SELECT MIN(${audit.at}) FROM ${audit.from} WHERE ${audit.at} >= :at)`,
);

/**
 * The number of the last such row. COALESCE leaves the index by action as the only usable one: few rows have
 * the requested action, and nearly all have the result.
 */
export const LAST_OF_TENANT = sql<
  { action: AuditAction; tenant: Buffer; result: string },
  { seq: number }
>(`SELECT ${audit.seq} AS seq FROM ${audit.from}
  WHERE ${audit.action} = :action AND COALESCE(${audit.tenant}, '') = :tenant
    AND COALESCE(${audit.result}, '') = :result
  ORDER BY ${audit.seq} DESC LIMIT 1`);

const rowOfRequest = (pick: 'MIN' | 'MAX') =>
  `:...requests[SELECT ${pick}(${audit.seq}) FROM ${audit.from} WHERE ${audit.requestId} = :id]`;

/**
 * The first and the last row of each request. A change of many users has as many rows, and these two identify
 * the author; both, since either may have been erased.
 */
export const ROWS_OF_REQUESTS = sql<{ requests: readonly { id: string }[] }, AuditRow>(
  `SELECT ${COLUMNS} FROM ${audit.from}
  WHERE ${audit.seq} IN (${rowOfRequest('MIN')}, ${rowOfRequest('MAX')})`,
);

/** The conditions of a search; texts that may be long are bytes, and the ends of ranges are exclusive. */
export interface AuditSearch {
  readonly first?: number;
  readonly end?: number;
  readonly tenant?: Buffer;
  /** The tenant's first row. */
  readonly tenantSince?: number;
  readonly relyingParty?: Buffer;
  readonly account?: Buffer;
  readonly action?: string;
  readonly result?: string;
  readonly target?: Buffer;
  readonly targetEnd?: Buffer;
  readonly requestId?: string;
}

/** Conditions of a search, by parameter. */
const CONDITIONS = {
  first: `${audit.seq} >= :first AND ${audit.seq} < :end`,
  tenant: `${audit.tenant} = :tenant AND ${audit.seq} >= :tenantSince`,
  relyingParty: `${audit.relyingParty} = :relyingParty`,
  account: `${audit.account} = :account`,
  action: `${audit.action} = :action`,
  result: `${audit.result} = :result`,
  target: `${audit.target} >= :target AND ${audit.target} < :targetEnd`,
  requestId: `${audit.requestId} = :requestId`,
} as const satisfies { readonly [K in keyof AuditSearch]: string };

/** Beside a relying party, whose index returns fewer rows: COALESCE keeps the index of the tenant from being used. */
const TENANT_OF_RELYING_PARTY = `COALESCE(${audit.tenant}, '') = :tenant
  AND ${audit.seq} >= :tenantSince`;

/** Indexes that return the rows of one value in order. */
const INDEXES = {
  tenant: 'ix_audit_tenant',
  relyingParty: 'ix_audit_relying_party',
  account: 'ix_audit_account',
  action: 'ix_audit_action',
  result: 'ix_audit_result',
  requestId: 'ix_audit_request',
} as const satisfies { readonly [K in keyof AuditSearch]: string };

/**
 * The rows of a search. Without the index hint, MariaDB would read an account's rows from the newest on, no matter how
 * old those of the page are.
 */
function rowsOf(search: AuditSearch, kind: DatabaseKind): string {
  const isOfRelyingParty = 'relyingParty' in search;
  const all = { ...CONDITIONS, ...(isOfRelyingParty && { tenant: TENANT_OF_RELYING_PARTY }) };
  const conditions = Object.entries(all).filter(([name]) => name in search);
  const indexes = Object.entries(INDEXES).filter(
    ([name]) => name in search && !(isOfRelyingParty && name === 'tenant'),
  );
  const names = indexes.map(([, index]) => index).join(', ');
  const hint = kind === 'mysql' && names !== '' ? `FORCE INDEX (${names})` : '';
  return `FROM ${audit.from} ${hint}
    WHERE ${conditions.map(([, condition]) => condition).join(' AND ')}`;
}

/** Returns the statement for a search, newest rows first; few different texts are possible. */
export const auditSearchStatement = (search: AuditSearch, kind: DatabaseKind) =>
  sql<AuditSearch & { limit: number }, AuditRow>(`SELECT ${COLUMNS}
    ${rowsOf(search, kind)}
    ORDER BY ${audit.seq} DESC LIMIT :limit`);

/** Returns the statement that counts the rows of a search. */
export const auditCountStatement = (search: AuditSearch, kind: DatabaseKind) =>
  sql<AuditSearch, { n: number }>(`SELECT COUNT(*) AS n ${rowsOf(search, kind)}`);
