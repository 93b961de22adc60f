import type { AuditAction } from './actions.js';

/** What a row is to record, as the caller reports it. Text from outside is stored as it came. */
export interface AuditEntry {
  /** Name of the account, or `cli` for the command line. */
  readonly account: string;
  readonly role: string;
  /** The client's address; empty for the command line. */
  readonly address: string;
  readonly action: AuditAction;
  readonly tenant?: string | undefined;
  readonly relyingParty?: string | undefined;
  /** To whom or what it was done: a user name, a filter, a domain. */
  readonly target?: string | undefined;
  readonly result: 'ok' | 'refused';
  /** The error code of a refusal, where it has one. */
  readonly code?: string | undefined;
  readonly requestId: string;
  /** Few further facts; never a secret. */
  readonly detail?: AuditDetail | undefined;
}

export type AuditDetail = Readonly<Record<string, string | number | boolean>>;

/** A row of the table `audit`, with the names of its columns; texts that may be long are bytes. */
export interface AuditRow {
  readonly seq: number;
  /** Milliseconds since 1970; never less than in the row before. */
  readonly at: number;
  readonly account: Buffer;
  readonly role: string;
  readonly address: string;
  readonly action: string;
  readonly tenant: Buffer | null;
  readonly relying_party: Buffer | null;
  readonly target: Buffer | null;
  readonly result: string;
  readonly code: string | null;
  readonly request_id: string;
  /** JSON. */
  readonly detail: string;
  readonly previous_hash: Buffer;
  readonly hash: Buffer;
  /** Random, part of the hash; gone once the row is erased. Rows of earlier versions have none. */
  readonly salt: Buffer | null;
  /** The number of the row that records the erasure of personal data from this one. */
  readonly erased_by: number | null;
}

export const AUDIT_COLUMNS = [
  'seq',
  'at',
  'account',
  'role',
  'address',
  'action',
  'tenant',
  'relying_party',
  'target',
  'result',
  'code',
  'request_id',
  'detail',
  'previous_hash',
  'hash',
  'salt',
] as const satisfies readonly (keyof AuditRow)[];
