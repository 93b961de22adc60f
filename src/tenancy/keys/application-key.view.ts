import type { AuditDetail } from '../../audit/audit-entry.js';
import type { Directory } from '../scope/directory.js';
import type { KeyView } from './application-key.answer.js';
import type { TenantKey } from './application-keys.service.js';

const moment = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();

/** A key as answers show it: everything but its secret, of which only the beginning is known. */
export function keyView(key: TenantKey, { relyingParties }: Directory): KeyView {
  const covered = key.relyingParties;
  const domains = relyingParties
    .filter(({ id }) => covered?.includes(id.toString('base64url')))
    .map(({ domain }) => domain);
  return {
    id: key.id.toString('base64url'),
    name: key.name,
    tenant: key.tenant.name,
    prefix: key.prefix,
    scopes: key.scopes,
    /** `null`: all of its tenant. */
    relyingParties: covered && domains.sort(),
    createdAt: moment(key.createdAt),
    createdBy: key.createdBy,
    expiresAt: moment(key.expiresAt),
    lastUsedAt: moment(key.lastUsedAt),
    revokedAt: moment(key.revokedAt),
    suspendedAt: moment(key.suspendedAt),
  };
}

/** What the audit trail keeps of a key that was issued or revoked. */
export const keyFacts = (
  { prefix, scopes, expiresAt }: TenantKey,
  domains?: readonly string[],
): AuditDetail => ({
  prefix,
  scopes: scopes.join(' '),
  ...(domains && { relyingParties: domains.join(' ') }),
  ...(expiresAt !== null && { expiresAt: new Date(expiresAt).toISOString() }),
});
