import type { AuditDetail } from '../audit/audit-entry.js';
import type { AuditFacts } from '../audit/request-rows.js';
import type { FoundUser } from './user-rows.js';

/**
 * The members of an audit row about a user whom an account changed; the row is found under the user name.
 *
 * @param user with the changed credentials
 * @param facts further members of the detail
 */
export const factsOfUser = (
  { username: target, relyingParty: { tenant, domain }, credentials }: FoundUser,
  facts: AuditDetail = {},
): AuditFacts => ({
  tenant,
  relyingParty: domain,
  target,
  detail: { credentials: credentials.length, ...facts, ...nameOfKey(credentials, facts) },
});

/** The name of the key, if the call named a key and changed one: its ID alone tells an auditor nothing. */
function nameOfKey([key, ...others]: FoundUser['credentials'], facts: AuditDetail): AuditDetail {
  if (key === undefined || others.length > 0 || facts['device'] === undefined) return {};
  return { deviceName: key.deviceName };
}
