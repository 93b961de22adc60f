import {
  computed,
  COUNT,
  forEachKind,
  tableOf,
  type DatabaseKind,
} from '../platform/database/entities/table.js';
import { select, selectDistinct, sql } from '../platform/database/statement.js';
import type { AuditAction } from './audit-entry.js';
import { AuditRow } from './audit-row.entity.js';

const auditRows = tableOf(AuditRow);

const ROWS = select(auditRows.pick(...auditRows.names));

export const APPEND_ROW = sql<Omit<AuditRow, 'erasedBy'>>(
  `INSERT INTO ${auditRows.row(...auditRows.except('erasedBy'))}`,
);

type Erasure = Pick<AuditRow, 'seq' | 'address' | 'target' | 'detail'> & {
  readonly erasedBy: number;
};

/** Locks the rows that an erasure has erased, or with 0 those that none has, without changing them. */
export const LOCK_ERASED_BY = sql<{ seqs: readonly number[]; erasedBy: number }>(
  `UPDATE ${auditRows.from} SET ${auditRows.erasedBy} = ${auditRows.erasedBy}
  WHERE ${auditRows.seq} IN (:...seqs) AND COALESCE(${auditRows.erasedBy}, 0) = :erasedBy`,
);

export const ERASE_ROW = sql<Erasure>(`UPDATE ${auditRows.from}
  SET ${auditRows.address} = :address, ${auditRows.target} = :target, ${auditRows.detail} = :detail,
    ${auditRows.salt} = NULL, ${auditRows.erasedBy} = :erasedBy
  WHERE ${auditRows.seq} = :seq`);

export const HASH_OF_ROW = select(auditRows.pick('hash')).from<{ seq: number }>(
  `${auditRows.from} WHERE ${auditRows.seq} = :seq`,
);

export const ROWS_AFTER = ROWS.from<{ after: number; limit: number }>(`
  ${auditRows.from} WHERE ${auditRows.seq} > :after
  ORDER BY ${auditRows.seq} LIMIT :limit`);

/** The rows of a tenant after a row, in the order of their numbers. */
export const ROWS_OF_TENANT_AFTER = forEachKind((kind) =>
  ROWS.from<{ tenant: Buffer; after: number; limit: number }>(`
    ${auditRows.forceIndex(kind, 'ix_audit_tenant')}
    WHERE ${auditRows.tenant} = :tenant AND ${auditRows.seq} > :after
    ORDER BY ${auditRows.seq} LIMIT :limit`),
);

/** When an account last signed in at the console, among its last rows. */
export const LAST_SIGN_IN = select({ at: computed<number>('r.at') }).from<{ account: Buffer }>(`
  (SELECT ${auditRows.list('seq', 'at', 'action', 'result')} FROM ${auditRows.from}
    WHERE ${auditRows.account} = :account ORDER BY ${auditRows.seq} DESC LIMIT 250) r
  WHERE r.action IN ('console.sign-in', 'account.setup') AND r.result = 'ok'
  ORDER BY r.seq DESC LIMIT 1`);

export const LAST_ROW = select({ seq: computed<number | null>(`MAX(${auditRows.seq})`) }).from(
  auditRows.from,
);

export const ROWS_OF_ACTION = select(auditRows.pick('seq', 'hash')).from<{ action: AuditAction }>(`
  ${auditRows.from} WHERE ${auditRows.action} = :action
  ORDER BY ${auditRows.seq}`);

/** The accounts with a row of an action since a time; few rows have such an action. */
export const ACCOUNTS_OF_ACTION = selectDistinct(auditRows.pick('account')).from<{
  action: AuditAction;
  at: number;
}>(`
  ${auditRows.from} WHERE ${auditRows.action} = :action AND ${auditRows.at} >= :at`);

/** The first row since a time, because times never decrease along the chain. */
export const FIRST_SINCE = select({ seq: computed<number | null>(`MIN(${auditRows.seq})`) }).from<{
  at: number;
}>(`
  ${auditRows.from}
  WHERE ${auditRows.at} = (SELECT MIN(${auditRows.at}) FROM ${auditRows.from} WHERE ${auditRows.at} >= :at)`);

/**
 * The number of the last such row. COALESCE leaves the index by action as the only usable one: few rows have
 * the requested action, and nearly all have the result.
 */
export const LAST_OF_TENANT = select(auditRows.pick('seq')).from<{
  action: AuditAction;
  tenant: Buffer;
  result: string;
}>(`
  ${auditRows.from} WHERE ${auditRows.action} = :action AND COALESCE(${auditRows.tenant}, '') = :tenant
    AND COALESCE(${auditRows.result}, '') = :result
  ORDER BY ${auditRows.seq} DESC LIMIT 1`);

/** Whether a tenant of this name exists. Its entity belongs to a module above, which this one does not know. */
export const OPEN_TENANT = sql<{ name: string }, { id: Buffer }>(
  'SELECT id FROM tenants WHERE name = :name AND closed_at = 0',
);

const rowOfRequest = (pick: 'MIN' | 'MAX') =>
  `:...requests[SELECT ${pick}(${auditRows.seq}) FROM ${auditRows.from} WHERE ${auditRows.requestId} = :id]`;

/**
 * The first and the last row of each request. A change of many users has as many rows, and these two identify
 * the author; both, since either may have been erased.
 */
export const ROWS_OF_REQUESTS = ROWS.from<{ requests: readonly { id: string }[] }>(`
  ${auditRows.from} WHERE ${auditRows.seq} IN (${rowOfRequest('MIN')}, ${rowOfRequest('MAX')})`);

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
  first: `${auditRows.seq} >= :first AND ${auditRows.seq} < :end`,
  tenant: `${auditRows.tenant} = :tenant AND ${auditRows.seq} >= :tenantSince`,
  relyingParty: `${auditRows.relyingParty} = :relyingParty`,
  account: `${auditRows.account} = :account`,
  action: `${auditRows.action} = :action`,
  result: `${auditRows.result} = :result`,
  target: `${auditRows.target} >= :target AND ${auditRows.target} < :targetEnd`,
  requestId: `${auditRows.requestId} = :requestId`,
} as const satisfies { readonly [K in keyof AuditSearch]: string };

/** Beside a relying party, whose index returns fewer rows: COALESCE keeps the index of the tenant from being used. */
const TENANT_OF_RELYING_PARTY = `COALESCE(${auditRows.tenant}, '') = :tenant
  AND ${auditRows.seq} >= :tenantSince`;

/** Indexes that return the rows of one value in order. */
const INDEXES = {
  tenant: 'ix_audit_tenant',
  relyingParty: 'ix_audit_relying_party',
  account: 'ix_audit_account',
  action: 'ix_audit_action',
  result: 'ix_audit_result',
  requestId: 'ix_audit_request',
} as const satisfies { readonly [K in keyof AuditSearch]: string };

/** Finds the few rows of most targets. It is no hint alone: the rows of a range of targets are in no order. */
const BY_TARGET = 'ix_audit_target';

/**
 * The part after FROM for a search. Without the index hint, MariaDB would read an account's rows from the newest on, no matter how
 * old those of the page are. A hint forbids all other indexes, so it names each one that may return few rows.
 */
function searchText(search: AuditSearch, kind: DatabaseKind): string {
  const isOfRelyingParty = 'relyingParty' in search;
  const all = { ...CONDITIONS, ...(isOfRelyingParty && { tenant: TENANT_OF_RELYING_PARTY }) };
  const conditions = Object.entries(all).filter(([name]) => name in search);
  const indexes = Object.entries(INDEXES).filter(
    ([name]) => name in search && !(isOfRelyingParty && name === 'tenant'),
  );
  const inOrder = indexes.map(([, index]) => index);
  const names = 'target' in search ? [...inOrder, BY_TARGET] : inOrder;
  const hint = kind === 'mysql' && inOrder.length > 0 ? `FORCE INDEX (${names.join(', ')})` : '';
  return `${auditRows.from} ${hint}
    WHERE ${conditions.map(([, condition]) => condition).join(' AND ')}`;
}

/** Returns the statement for a search, newest rows first; few different texts are possible. */
export const auditSearchStatement = (search: AuditSearch, kind: DatabaseKind) =>
  ROWS.from<AuditSearch & { limit: number }>(`
    ${searchText(search, kind)}
    ORDER BY ${auditRows.seq} DESC LIMIT :limit`);

/** Returns the statement that counts the rows of a search. */
export const auditCountStatement = (search: AuditSearch, kind: DatabaseKind) =>
  select(COUNT).from<AuditSearch>(searchText(search, kind));
