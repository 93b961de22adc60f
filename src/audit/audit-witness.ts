import { isRevoking } from './audit-entry.js';
import type { AuditRow } from './audit-row.entity.js';

const FORM = /^(\d+) ([0-9a-f]{64})(?: ([\w.-]+) (\{.*\}))?$/;

/** The data of a row in the log. */
export interface Witness {
  readonly seq: number;
  readonly hash: string;
  /** The revocation and its facts; absent for all other actions. */
  readonly revoked?: { readonly action: string; readonly facts: string };
}

/**
 * Returns the log line of a row: number and hash. For a revocation it also contains action, names and detail, since
 * a restored backup does not know of it.
 */
export function witnessOf(row: AuditRow): string {
  const { seq, hash, action, result } = row;
  const line = `${seq} ${hash.toString('hex')}`;
  if (result !== 'ok' || !isRevoking(action)) return line;
  const facts = {
    tenant: row.tenant?.toString('utf8'),
    relyingParty: row.relyingParty?.toString('utf8'),
    target: row.target?.toString('utf8'),
    detail: JSON.parse(row.detail) as unknown,
  };
  return `${line} ${action} ${JSON.stringify(facts)}`;
}

/** Reads the message of a log line; `undefined` for other messages. */
export function witnessIn(message: string): Witness | undefined {
  const [, seq, hash = '', action, facts = ''] = FORM.exec(message) ?? [];
  if (seq === undefined) return undefined;
  return { seq: Number(seq), hash, ...(action !== undefined && { revoked: { action, facts } }) };
}
