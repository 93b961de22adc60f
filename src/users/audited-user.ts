import type { AuditDetail } from '../audit/audit-entry.js';
import type { AuditedPerson } from '../audit/audit-trail.js';
import type { FoundUser } from './user-rows.js';

/**
 * What the audit row says of a user whom an administrator changed; it is found under the user's name.
 *
 * @param user with the credentials that were changed
 * @param facts further members of the detail
 */
export const auditedUser = (
  { username: target, relyingParty: { tenant, domain }, credentials }: FoundUser,
  facts: AuditDetail = {},
): AuditedPerson => ({
  tenant,
  relyingParty: domain,
  target,
  detail: { credentials: credentials.length, ...facts },
});
