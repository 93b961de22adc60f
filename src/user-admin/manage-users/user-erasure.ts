import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditErasure, type ErasureAuthor } from '../../audit/erasure/audit-erasure.js';
import { LinkedUsers, type PlaceOfUser } from '../../users/moves/linked-users.js';
import { PersonalData } from '../../events/erasure/personal-data.js';
import { UserChanges } from '../../users/user-changes.js';
import type { FoundCredential, FoundUser } from '../../users/user-rows.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { LedgerErasure } from '../../events/erasure/ledger-erasure.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';

const PSEUDONYM_BYTES = 8;

/** What was erased of a person. */
interface Erasure {
  /** The name that replaces the user's from now on. */
  readonly pseudonym: string;
  /** How many users were deleted: one at most at each relying party, none where the user was gone before. */
  readonly users: number;
  readonly credentials: number;
  readonly events: number;
  readonly auditRows: number;
}

/**
 * Erases a person (GDPR article 17): the user with all keys goes, and a random pseudonym takes the place of
 * the name, and of former ones, in what is kept: events, receipts, uploaded lists, the audit trail. What is
 * counted, and every stored invoice, stays as it was. It can be cut off and called again.
 */
@Injectable()
export class UserErasure {
  constructor(
    private readonly linked: LinkedUsers,
    private readonly changes: UserChanges,
    private readonly ledger: LedgerErasure,
    private readonly trail: AuditErasure,
    private readonly personal: PersonalData,
  ) {}

  /**
   * Erases the person who has, or had, this name, here and at the old domain from which users move here.
   *
   * @param name in NFC
   * @throws ApiError E0044R where nothing is kept of the name, E0052R where others change the user meanwhile
   */
  async erase(rp: RelyingParty, name: string, by: ErasureAuthor): Promise<Erasure> {
    const pseudonym = `erased-${randomBytes(PSEUDONYM_BYTES).toString('hex')}`;
    const sum = { users: 0, credentials: 0, events: 0, auditRows: 0 };
    for (const place of await this.linked.placesOf(rp, name)) {
      const erased = await this.eraseAt(place, pseudonym, by);
      sum.users += erased.users;
      sum.credentials += erased.credentials;
      sum.events += erased.events;
      sum.auditRows += erased.auditRows;
    }
    if (sum.users + sum.events + sum.auditRows > 0) return { pseudonym, ...sum };
    throw new ApiError('E0044R', 'user.nothingKept');
  }

  private async eraseAt(
    { relyingParty: rp, name, user }: PlaceOfUser,
    pseudonym: string,
    by: ErasureAuthor,
  ) {
    const names = await this.trail.namesOf(rp.domain, name);
    // A name that nobody has now is erased from the beginning, also where its last user has another one.
    if (!user) names.heldSince.delete(name);
    const gone = user && (await this.delete(user, by));
    await this.personal.forget(rp, { name, pseudonym });
    let events = 0;
    // The current name has no end in time: events of the person that are stored late count as well.
    for (const [was, until] of [
      [name, Number.MAX_SAFE_INTEGER] as const,
      ...timesOf(names.formerNames),
    ]) {
      const since = names.heldSince.get(was)?.at ?? -1;
      events += await this.ledger.replace(rp, { name: was, pseudonym, since, until });
    }
    const person = { name, pseudonym, ...names, tenant: rp.tenant, relyingParty: rp.domain };
    const auditRows = await this.trail.erase(person, by);
    return { users: gone ? 1 : 0, credentials: gone?.length ?? 0, events, auditRows };
  }

  /** @throws ApiError E0052R where the user was renamed or deleted since it was found */
  private async delete(
    user: FoundUser,
    { requestId }: ErasureAuthor,
  ): Promise<readonly FoundCredential[]> {
    const gone = await this.changes.apply('delete-user', user, { requestId });
    if (!gone) throw new ApiError('E0052R', 'user.changing');
    return gone;
  }
}

const timesOf = (names: ReadonlyMap<string, { readonly at: number }>) =>
  [...names].map(([name, { at }]) => [name, at] as const);
