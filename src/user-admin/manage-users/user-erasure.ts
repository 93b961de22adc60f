import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditErasure, type ErasureAuthor } from '../../audit/erasure/audit-erasure.js';
import type { ChangingCall } from '../../audit/audited.js';
import { atRelyingParty } from '../../audit/request-rows.js';
import { eraseFromLedger, type ErasedName } from '../../events/erasure/ledger-erasure.js';
import { TicketService } from '../../fido/tickets/ticket.service.js';
import { Invitations } from '../../invitations/invitations.js';
import { Database } from '../../platform/database/database.js';
import type { ScopeOwner } from '../../platform/database/scope.js';
import { NO_ID } from '../../platform/database/row-ids.js';
import { Deletions } from '../../users/deletions/deletions.js';
import { factsOfUser } from '../../users/user-rows.js';
import { addEnded, endedDetail, noneEnded, type EndedPermits } from '../../users/lock-outs.js';
import { LinkedUsers, type DomainOfUser, type LinkedUser } from '../../users/moves/linked-users.js';
import { UserChanges } from '../../users/user-changes.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { UploadLines } from '../lists/upload-lines.js';

const PSEUDONYM_BYTES = 8;

/** All stored names of users, besides those in `users` and in the audit trail. */
@Injectable()
export class StoredNames {
  constructor(
    private readonly deletions: Deletions,
    private readonly invitations: Invitations,
    private readonly tickets: TicketService,
    private readonly listLines: UploadLines,
    private readonly database: Database,
  ) {}

  /** Removes a name, or replaces it with its pseudonym. Can be repeated. Returns the number of changed events. */
  async erase(rp: ScopeOwner, erased: ErasedName): Promise<number> {
    await this.deletions.forget(rp, erased);
    await this.invitations.forget(rp, erased);
    await this.tickets.forget(rp, erased);
    await this.listLines.forget(rp, erased);
    return eraseFromLedger(this.database, rp, erased);
  }
}

/** The call that erases a user: its author, and what stores the last change with its row. */
interface ErasureCall extends ErasureAuthor, Pick<ChangingCall, 'commit'> {
  /** The users of the name, if the caller has found them already. */
  readonly found?: readonly LinkedUser[];
}

/** The result of an erasure. */
interface Erasure {
  /** The name that replaces the user's from now on. */
  readonly pseudonym: string;
  /** The number of deleted users: at most one at each relying party, none if the user no longer existed. */
  readonly users: number;
  readonly credentials: number;
  readonly events: number;
  readonly auditRows: number;
  readonly ended: EndedPermits;
}

/**
 * Erases a user (GDPR article 17). First the keys are deleted; then a random pseudonym replaces the current
 * and all former names in stored data: events, receipts, uploaded lists, the audit trail. Counts and stored
 * invoices do not change. The user is deleted last. An interrupted call can be repeated. The deletion of the keys has
 * an audit row, and so has the deletion of the user, which names the pseudonym and all figures.
 */
@Injectable()
export class UserErasure {
  constructor(
    private readonly linked: LinkedUsers,
    private readonly changes: UserChanges,
    private readonly names: StoredNames,
    private readonly trail: AuditErasure,
  ) {}

  /**
   * Erases the user who has, or had, this name, here and at the predecessor.
   *
   * @param name in NFC
   * @throws ApiError E0044R if nothing is stored under the name; E0052R if the user is renamed or deleted, or
   *   a key is registered, during the call
   */
  async erase(
    rp: RelyingParty,
    name: string,
    { commit, found, ...by }: ErasureCall,
  ): Promise<Erasure> {
    const pseudonym = `erased-${randomBytes(PSEUDONYM_BYTES).toString('hex')}`;
    const sum = { users: 0, credentials: 0, events: 0, auditRows: 0 };
    const ended = noneEnded();
    const linked = found ?? (await this.linked.find(rp, [name]));
    const domains = await this.linked.domainsOf(rp, name, linked);
    const users = domains.flatMap(({ user }) => user ?? []);
    // The users are deleted last: after an interruption, they lead the next call to the same names and rows.
    for (const user of users) {
      const change = { kind: 'delete', requiredName: user.username } as const;
      const deleted = await this.changes.apply(change, user, {
        requestId: by.requestId,
        calledAt: rp,
        audit: (found) => ({
          ...by,
          action: 'credential.delete',
          result: 'ok',
          ...factsOfUser({ ...found, username: pseudonym }),
        }),
      });
      if (!deleted) continue;
      sum.credentials += deleted.credentials.length;
      addEnded(ended, deleted);
    }
    for (const one of domains) {
      const erased = await this.eraseRecords(one, pseudonym, by);
      sum.events += erased.events;
      sum.auditRows += erased.auditRows;
    }
    sum.users = users.length;
    if (sum.users + sum.events + sum.auditRows === 0) {
      throw new ApiError('E0044R', 'user.nothingKept');
    }
    const deletion = this.changes.deletionOfKeyless(users, {
      pseudonym,
      requestId: by.requestId,
    });
    const detail = { ...sum, ...endedDetail(ended) };
    if (!(await commit(deletion, { ...atRelyingParty(rp), target: pseudonym, detail }))) {
      throw new ApiError('E0052R', 'user.changing');
    }
    return { pseudonym, ended, ...sum };
  }

  private async eraseRecords(
    { relyingParty: rp, name, user }: DomainOfUser,
    pseudonym: string,
    by: ErasureAuthor,
  ) {
    const place = { tenant: rp.tenant, relyingParty: rp.domain };
    const names = await this.trail.namesOf(place, name);
    // A name without a current user is erased from the beginning, even if its last user has another one now.
    if (!user) names.heldSince.delete(name);
    let events = 0;
    // The current name has no end: events of the user that are stored late count as well.
    const current = { was: name, until: Number.MAX_SAFE_INTEGER };
    const former = [...names.formerNames].map(([was, { at }]) => ({ was, until: at }));
    for (const { was, until } of [current, ...former]) {
      const since = names.heldSince.get(was)?.at ?? -1;
      const erased = { name: was, pseudonym, userId: user?.id ?? NO_ID, since, until };
      events += await this.names.erase(rp, erased);
    }
    const erased = { name, pseudonym, ...names, ...place };
    return { events, auditRows: await this.trail.erase(erased, by) };
  }
}
