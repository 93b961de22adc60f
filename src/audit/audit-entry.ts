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
