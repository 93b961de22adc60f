import { Injectable } from '@nestjs/common';
import type { AuditDetail } from '../audit/audit-entry.js';
import { Registry } from '../platform/common/registry.js';
import { Database } from '../platform/database/database.js';
import type { Step } from '../platform/database/commit/unit.js';
import { NO_ID, mapKey } from '../platform/database/row-ids.js';
import { scope } from '../platform/database/scope.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { foldedName } from '../platform/validation/values/folded-name.js';
import { LOCK_USER_OUT } from './user-change.statements.js';
import { EARLIER_NAMES_OF_USER } from './earlier-names/earlier-name.statements.js';
import { SameUsers } from './moves/same-users.js';
import type { NameForms } from './name-forms.js';
import type { FoundUser } from './user-rows.js';

/** How many permissions to register a key a lock-out ended. */
export interface EndedPermits {
  readonly tickets: number;
  readonly invitations: number;
}

type EndedSum = { -readonly [Kind in keyof EndedPermits]: number };

/** A sum to which `addEnded` adds. */
export const noneEnded = (): EndedSum => ({ tickets: 0, invitations: 0 });

/** Adds what a change ended to a sum. */
export function addEnded(sum: EndedSum, { ended }: { readonly ended: EndedPermits }): void {
  sum.tickets += ended.tickets;
  sum.invitations += ended.invitations;
}

/** The members of an audit row's detail for what ended. */
export const endedDetail = ({ tickets, invitations }: EndedPermits): AuditDetail => ({
  ...(tickets > 0 && { endedTickets: tickets }),
  ...(invitations > 0 && { endedInvitations: invitations }),
});

/** A user whose permissions end, at one relying party. */
export interface LockedOutUser {
  readonly ids: readonly Buffer[];
  /** The current name, UTF-8. */
  readonly name: Buffer;
  /** The current name and earlier ones. */
  readonly names: readonly Buffer[];
  /** The current name, folded. */
  readonly foldedName: Buffer;
  /** The owner of permissions that were issued while no user had the name. */
  readonly nobody: Buffer;
}

/**
 * Statements with the condition for permissions of a `LockedOutUser`. Permissions without a user count under the current
 * name only, and where case is ignored under each of its spellings. Under an earlier name they are for the next user of
 * that name.
 *
 * @param row the columns of the table
 */
export function forLockedOutUser<S>(
  row: Readonly<Record<'scope' | 'username' | 'foldedName' | 'userId', string>>,
  statement: (condition: string) => S,
): NameForms<S> {
  const exact = `${row.scope} AND ${row.username} IN (:...names) AND (${row.userId} IN (:...ids)
    OR (${row.username} = :name AND (${row.userId} = :nobody OR ${row.userId} IS NULL)))`;
  const inAnyCase = `${row.scope} AND ${row.foldedName} = :foldedName AND ${row.userId} = :nobody`;
  return { exact: statement(exact), folded: statement(`((${exact}) OR (${inAnyCase}))`) };
}

/** Permissions of one kind, which a feature registers. */
export interface RevocablePermits {
  readonly kind: keyof EndedPermits;
  /**
   * How many of the user's permissions can still create a key, including those that were issued while no user had the
   * name, and the step that ends them. It must change as many.
   */
  ending(rp: RelyingParty, user: LockedOutUser): Promise<{ count: number; step: Step }>;
}

/** A lock-out of a user: the steps that end permissions come first in its unit. */
export interface LockOut {
  readonly ended: EndedPermits;
  readonly permits: readonly Step[];
  /** Ends the registrations that have begun; the unit fails if the user no longer exists. */
  readonly countStep: Step;
}

const MAX_EARLIER_NAMES = 50;

/**
 * What locks a user out besides the change of the keys or the suspension: tickets and open invitations end, and so do
 * registrations that have begun. An undo brings none of them back.
 */
@Injectable()
export class LockOuts {
  private readonly kinds = new Registry<keyof EndedPermits, RevocablePermits>();

  constructor(
    private readonly database: Database,
    private readonly same: SameUsers,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  register(permits: RevocablePermits): void {
    this.kinds.set(permits.kind, permits);
  }

  /**
   * For a user of a predecessor who is still expected at the successor, the permissions there end too.
   *
   * @param calledAt the relying party of the call: for a user of a predecessor perhaps the successor, whose permissions
   *   for this user end in any case
   */
  async of(
    user: Pick<FoundUser, 'id' | 'username' | 'relyingParty'>,
    calledAt: RelyingParty,
  ): Promise<LockOut> {
    const { id, relyingParty } = user;
    const params = { ...scope(relyingParty), userId: id, limit: MAX_EARLIER_NAMES };
    const earlier = await this.database.query(EARLIER_NAMES_OF_USER, params);
    const name = Buffer.from(user.username);
    const names = [name, ...earlier.map(({ username }) => username)];
    const places = [{ rp: relyingParty, ids: [id] }];
    const isOwn = calledAt.id.equals(relyingParty.id);
    const successor = isOwn ? this.relyingParties.current.successorOf(relyingParty) : calledAt;
    const found = successor && (await this.same.ofPredecessor(successor, [id])).get(mapKey(id));
    if (found && (!isOwn || found.name === undefined)) {
      places.push({ rp: successor, ids: [found.userId] });
      if (found.name !== undefined) names.push(Buffer.from(found.name));
    }
    const folded = Buffer.from(foldedName(user.username));
    const ended = noneEnded();
    const ending = places.flatMap(({ rp, ids }) => {
      const whose = { ids, name, names, foldedName: folded, nobody: NO_ID };
      return [...this.kinds.values()].map(async (one) => {
        const { count, step } = await one.ending(rp, whose);
        ended[one.kind] += count;
        return step;
      });
    });
    const permits = await Promise.all(ending);
    const countStep = LOCK_USER_OUT.mustChange({ ...scope(relyingParty), id });
    return { ended, permits, countStep };
  }
}
