import type { AuditDetail } from '../audit/audit-entry.js';
import type { AuditedUser } from '../audit/audit-trail.js';
import type { FoundUser } from './user-rows.js';

/**
 * The members of an audit row about a user whom an account changed; the row is found under the user name.
 *
 * @param user with the changed credentials
 * @param facts further members of the detail
 */
export const auditedUser = (
  { username: target, relyingParty: { tenant, domain }, credentials }: FoundUser,
  facts: AuditDetail = {},
): AuditedUser => ({
  tenant,
  relyingParty: domain,
  target,
  detail: { credentials: credentials.length, ...facts },
});
