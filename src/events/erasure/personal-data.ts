import { Injectable } from '@nestjs/common';
import type { ScopeOwner } from '../../platform/database/scope.js';

export interface ErasedName {
  /** In NFC. */
  readonly name: string;
  readonly pseudonym: string;
}

/** Removes a name from a feature's data; calling it again does no harm. */
type Forget = (rp: ScopeOwner, erased: ErasedName) => Promise<void>;

/** Features that store names besides users and the ledger register here how they forget one. */
@Injectable()
export class PersonalData {
  private readonly kept: Forget[] = [];

  keptBy(forget: Forget): void {
    this.kept.push(forget);
  }

  async forget(rp: ScopeOwner, erased: ErasedName): Promise<void> {
    for (const forget of this.kept) await forget(rp, erased);
  }
}
