import { Injectable } from '@nestjs/common';
import type { ScopeOwner } from '../../platform/database/scope.js';

/** A name that a user has, or had for a time. */
export interface ErasedName {
  /** In NFC. */
  readonly name: string;
  readonly pseudonym: string;
  /** The user's ID; zeros if the user was deleted before. */
  readonly userId: Buffer;
  /** Milliseconds since 1970; earlier events under this name belong to another user. */
  readonly since: number;
  /** Milliseconds since 1970; later events under this name belong to another user. */
  readonly until: number;
}

/** Removes a name from a feature's data; may be called repeatedly. */
type Forget = (rp: ScopeOwner, erased: ErasedName) => Promise<void>;

/**
 * Features that store names of users register a function here, which an erasure calls with each name. `users` and the
 * ledger (`ledger-erasure.ts`) are not among them: the erasure changes these itself.
 */
@Injectable()
export class ErasureParticipants {
  private readonly forgetters: Forget[] = [];

  register(forget: Forget): void {
    this.forgetters.push(forget);
  }

  async forget(rp: ScopeOwner, erased: ErasedName): Promise<void> {
    for (const forget of this.forgetters) await forget(rp, erased);
  }
}
