import type { AuditAction } from './actions.js';

/** The content of a row, as reported by the caller. External text is stored unchanged. */
export interface AuditEntry {
  /** The name of the account, or `cli` for the command line. */
  readonly account: string;
  readonly role: string;
  /** The client's address; empty for the command line. */
  readonly address: string;
  readonly action: AuditAction;
  readonly tenant?: string | undefined;
  readonly relyingParty?: string | undefined;
  /** The target of the action: a user name, a filter, a domain. */
  readonly target?: string | undefined;
  readonly result: 'ok' | 'refused';
  /** The error code of a refusal, if it has one. */
  readonly code?: string | undefined;
  readonly requestId: string;
  /** A few further facts; never a secret. */
  readonly detail?: AuditDetail | undefined;
}

export type AuditDetail = Readonly<Record<string, string | number | boolean>>;
