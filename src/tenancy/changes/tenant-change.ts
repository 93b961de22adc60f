import { differencesBetween } from '../../audit/differences.js';
import type { AuditDetail } from '../../audit/audit-entry.js';
import type { Tenant } from '../tenant.entity.js';

/** What a tenant was, and what a change made of it. */
export interface TenantChange {
  readonly before: Tenant;
  readonly after: Tenant;
}

/** What differs, for the audit trail. */
export const tenantDifferences = ({ before, after }: TenantChange): AuditDetail =>
  differencesBetween({ displayName: before.displayName }, { displayName: after.displayName });
