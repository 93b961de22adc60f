import { Injectable } from '@nestjs/common';
import { LedgerErasure, type ErasedName } from '../../events/erasure/ledger-erasure.js';
import { TicketService } from '../../fido/tickets/ticket.service.js';
import { Invitations } from '../../invitations/invitations.js';
import type { ScopeOwner } from '../../platform/database/scope.js';
import { Deletions } from '../../users/deletions/deletions.js';
import { UploadStore } from '../lists/upload-store.js';

/** All stored names of users, besides those in `users` and in the audit trail. */
@Injectable()
export class StoredNames {
  constructor(
    private readonly deletions: Deletions,
    private readonly invitations: Invitations,
    private readonly tickets: TicketService,
    private readonly uploads: UploadStore,
    private readonly ledger: LedgerErasure,
  ) {}

  /** Removes a name, or replaces it with its pseudonym. Can be repeated. Returns the number of changed events. */
  async erase(rp: ScopeOwner, erased: ErasedName): Promise<number> {
    await this.deletions.forget(rp, erased);
    await this.invitations.forget(rp, erased);
    await this.tickets.forget(rp, erased);
    await this.uploads.forget(rp, erased);
    return this.ledger.replace(rp, erased);
  }
}
