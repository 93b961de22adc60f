import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../audit/audit-log.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { scope } from '../../platform/database/scope.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { LEAVES_A_KEY, NAME_CREDENTIAL } from '../change.statements.js';
import { UserChanges } from '../user-changes.js';
import type { FoundCredential, FoundUser } from '../user-rows.js';

/** What people change about their own keys. */
@Injectable()
export class KeyChanges {
  constructor(
    private readonly trail: AuditLog,
    private readonly changes: UserChanges,
  ) {}

  /**
   * @param audit the row of the change, which is stored in the same unit
   * @returns the name as it is kept
   */
  async rename(
    { id, relyingParty }: FoundUser,
    key: FoundCredential,
    { name, audit }: { readonly name: string; readonly audit: AuditEntry },
  ) {
    const deviceName = normalizeName(name);
    const names = { id: key.id, userId: id, deviceName };
    await this.trail.commit([audit], [NAME_CREDENTIAL.step({ ...scope(relyingParty), ...names })]);
    return deviceName;
  }

  /**
   * @param last whether the last key that can sign in may go
   * @param audit the row of the change, which is stored in the same unit
   * @returns `false` where it would be the last one after all, was changed meanwhile, or is gone
   */
  delete(
    user: FoundUser,
    key: FoundCredential,
    { last, audit }: { readonly last: boolean; readonly audit: AuditEntry },
  ): Promise<boolean> {
    const step = LEAVES_A_KEY.guard({ ...scope(user.relyingParty), userId: user.id });
    const along = () => (last ? [] : [step]);
    const { requestId } = audit;
    const context = { requestId, along, audit: () => audit };
    return this.changes.applyOnce('delete', { ...user, credentials: [key] }, context);
  }
}
