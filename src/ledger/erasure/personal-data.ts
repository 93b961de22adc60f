import { Injectable } from '@nestjs/common';
import type { ScopeOwner } from '../../database/scope.js';

/** Whose place a pseudonym takes. */
export interface Erased {
  /** In NFC. */
  readonly name: string;
  readonly pseudonym: string;
}

/** Takes a name out of what a feature keeps; a second time it finds nothing. */
export type Forget = (rp: ScopeOwner, erased: Erased) => Promise<void>;

/** Where features keep names besides users and the ledger: each says how it forgets one. */
@Injectable()
export class PersonalData {
  private readonly kept: Forget[] = [];

  keptBy(forget: Forget): void {
    this.kept.push(forget);
  }

  async forget(rp: ScopeOwner, erased: Erased): Promise<void> {
    for (const forget of this.kept) await forget(rp, erased);
  }
}
