import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { scopeParams } from '../../platform/database/scope.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { LEAVES_A_KEY, NAME_CREDENTIAL } from '../change.statements.js';
import { UserChanges } from '../user-changes.js';
import type { FoundCredential, FoundUser } from '../user-rows.js';

/** What people change about their own keys. */
@Injectable()
export class KeyChanges {
  constructor(
    private readonly database: Database,
    private readonly changes: UserChanges,
  ) {}

  /** @returns the name as it is kept */
  async rename({ id, relyingParty }: FoundUser, key: FoundCredential, name: string) {
    const deviceName = normalizeName(name);
    const params = [deviceName, ...scopeParams(relyingParty), key.id, id];
    await this.database.commit([{ sql: NAME_CREDENTIAL, params }]);
    return deviceName;
  }

  /**
   * @param last whether the last key that can sign in may go
   * @returns `false` where it would be the last one after all, was changed meanwhile, or is gone
   */
  delete(
    user: FoundUser,
    key: FoundCredential,
    { requestId, last }: { requestId: string; last: boolean },
  ): Promise<boolean> {
    const params = [...scopeParams(user.relyingParty), user.id];
    const step = { sql: LEAVES_A_KEY, params, guard: true };
    const along = () => (last ? [] : [step]);
    return this.changes.applyOnce('delete', { ...user, credentials: [key] }, { requestId, along });
  }
}
