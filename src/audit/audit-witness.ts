import { REVOKING } from './actions.js';
import type { AuditRow } from './audit-row.entity.js';

const FORM = /^(\d+) ([0-9a-f]{64})(?: ([\w.-]+) (\{.*\}))?$/;

/** What the log has of a row. */
export interface Witness {
  readonly seq: number;
  readonly hash: string;
  /** What was taken away, and from whom; absent for all other actions. */
  readonly revoked?: { readonly action: string; readonly facts: string };
}

/**
 * The log's line of a row: number and hash. For what takes something away it has action, names and detail too, since
 * a restored backup knows nothing of it.
 */
export function witnessOf(row: AuditRow): string {
  const { seq, hash, action, result } = row;
  const line = `${seq} ${hash.toString('hex')}`;
  if (result !== 'ok' || !REVOKING.has(action)) return line;
  const facts = {
    tenant: row.tenant?.toString('utf8'),
    relyingParty: row.relyingParty?.toString('utf8'),
    target: row.target?.toString('utf8'),
    detail: JSON.parse(row.detail) as unknown,
  };
  return `${line} ${action} ${JSON.stringify(facts)}`;
}

/** Reads the message of a line of the log; `undefined` for one that is about something else. */
export function witnessIn(message: string): Witness | undefined {
  const [, seq, hash = '', action, facts = ''] = FORM.exec(message) ?? [];
  if (seq === undefined) return undefined;
  return { seq: Number(seq), hash, ...(action !== undefined && { revoked: { action, facts } }) };
}
