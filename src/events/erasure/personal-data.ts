import { Injectable } from '@nestjs/common';
import type { ScopeOwner } from '../../platform/database/scope.js';

/** A name that a person has, or had for a time. */
export interface ErasedName {
  /** In NFC. */
  readonly name: string;
  readonly pseudonym: string;
  /** The person's ID; zeros where the user was deleted before. */
  readonly userId: Buffer;
  /** Milliseconds since 1970; what happened until then under this name concerns somebody else. */
  readonly since: number;
  /** Milliseconds since 1970; what happened later under this name concerns somebody else. */
  readonly until: number;
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
