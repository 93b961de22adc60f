import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { Clock } from '../../platform/common/clock.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import type { ErasedName } from '../../events/erasure/ledger-erasure.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { MoveSteps } from '../moves/move-steps.js';
import type { FoundUser } from '../user-rows.js';
import { CredentialReader } from '../credentials/credential-reader.js';
import {
  DELETED_USERS_OF_NAME,
  DELETION,
  DELETIONS_OF_NAME,
  DELETIONS_OF_OCCASION,
  DELETIONS_OF_USER,
  RELYING_PARTIES_WITH_DELETION,
  RECENT_DELETIONS,
  END_DELETIONS_OF_USER,
  type DeletedUserRow,
  type DeletionKeyRow,
  type DeletionRow,
} from './deletion.statements.js';
import { UNDO_MS } from './deletion-ending.js';
import { nameParams } from './deletion-steps.js';
import { restoringSteps, type KeptDeletion, type KeptKey } from './restoring-steps.js';

const RELYING_PARTIES_PER_STATEMENT = 100;

/** The maximum number of deletions that one call undoes: a list may have made many more. */
export const MAX_UNDONE = 500;

/**
 * Deletions made on pages that can still be undone. The stored copies cannot sign in, and no list, figure or
 * export includes them; browsers are not told yet that the keys were deleted.
 */
@Injectable()
export class Deletions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly reader: CredentialReader,
    private readonly trail: AuditTrail,
    private readonly moveSteps: MoveSteps,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /** Deletions of users of this name: a statement finds out which of a hundred relying parties have any. */
  async ofNameAtAny(rps: readonly RelyingParty[], name: string): Promise<KeptDeletion[]> {
    const params = { foldedName: Buffer.from(foldedName(name), 'utf8'), since: this.since };
    const rows = splitIntoParts(rps, RELYING_PARTIES_PER_STATEMENT).map((part) =>
      this.database.query(RELYING_PARTIES_WITH_DELETION, {
        ...params,
        ids: part.map(({ id }) => id),
      }),
    );
    const having = new Set(
      (await Promise.all(rows)).flat().map(({ relyingPartyId }) => mapKey(relyingPartyId)),
    );
    const places = rps.filter(({ id }) => having.has(mapKey(id)));
    return (await Promise.all(places.map((rp) => this.ofName(rp, name)))).flat();
  }

  async ofName(rp: RelyingParty, name: string): Promise<KeptDeletion[]> {
    const params = { ...scope(rp), ...nameParams(rp, name), since: this.since };
    return deletionsOf(rp, await this.database.query(DELETIONS_OF_NAME, params));
  }

  /** The newest deletions of whole users, without their keys. */
  async recent(rp: RelyingParty, limit: number): Promise<KeptDeletion[]> {
    const params = { ...scope(rp), since: this.since, limit };
    const rows = await this.database.query(RECENT_DELETIONS, params);
    return rows.map((row) => ({ ...deletionOf(rp, row), keys: [] }));
  }

  /** Deletions of keys of an existing user, the newest first. */
  async ofUser(rp: RelyingParty, userId: Buffer): Promise<KeptDeletion[]> {
    const params = { ...scope(rp), userId, since: this.since };
    return deletionsOf(rp, await this.database.query(DELETIONS_OF_USER, params));
  }

  /**
   * Deletions about a name, here and at the predecessor: of keys if the user exists, otherwise of the user.
   *
   * @param users the users of the name
   */
  async everywhere(
    rp: RelyingParty,
    name: string,
    users: readonly FoundUser[],
  ): Promise<KeptDeletion[]> {
    const found = this.relyingParties.current.withPredecessor(rp).map((place) => {
      const user = users.find(({ relyingParty }) => relyingParty.id.equals(place.id));
      return user ? this.ofUser(place, user.id) : this.ofName(place, name);
    });
    return (await Promise.all(found)).flat();
  }

  /** The deletion with this ID at a relying party; `undefined` if it can no longer be undone. */
  async find(rp: RelyingParty, id: Buffer): Promise<KeptDeletion | undefined> {
    const params = { ...scope(rp), id, since: this.since };
    const [found] = deletionsOf(rp, await this.database.query(DELETION, params));
    return found;
  }

  /** IDs of the deletions that one request or list made at all relying parties; at most `limit`. */
  ofOccasion(occasion: string, limit: number) {
    const { since } = this;
    return this.database.query(DELETIONS_OF_OCCASION, { occasion, since, limit });
  }

  /**
   * Restores the deleted rows unchanged, in one unit: of two calls at the same time one succeeds.
   *
   * @param row the audit row, which is stored in the same unit
   * @param stepsAfter returns the steps that follow the restoration in the unit: those of `FindingsOnChange`
   * @returns `false` if its time is over, the name or another key has been registered since, or one of the keys is
   *   changed at this moment
   */
  async restore(
    deletion: KeptDeletion,
    row: AuditEntry,
    stepsAfter: (deletion: KeptDeletion) => Promise<Step[]>,
  ): Promise<boolean> {
    const at = this.clock.now();
    const { kind } = this.database;
    const named = { ...deletion, username: await this.nameNow(deletion) };
    const { whole, userId: id, relyingParty } = deletion;
    const keys = await this.reader.findAllKeys(relyingParty, id);
    const others = keys.filter(({ isDeleted }) => !isDeleted);
    const facts = { kind, at, since: this.since, requestId: row.requestId, others };
    const unit = [
      ...restoringSteps(named, facts),
      ...(whole ? await this.moveSteps.restoring({ id, relyingParty }) : []),
      ...(await stepsAfter(named)),
    ];
    return this.trail.commit([row], unit);
  }

  /** The name to restore under: an existing user may have been renamed since the deletion. */
  private async nameNow({ whole, relyingParty, userId, username }: KeptDeletion): Promise<string> {
    const user = whole ? undefined : await this.reader.findUserById(relyingParty, userId);
    return user?.username ?? username;
  }

  private get since(): number {
    return this.clock.now() - UNDO_MS;
  }

  /**
   * Ends all deletions of the users of a name, found by their IDs: a user may have had another name when a
   * key was deleted.
   */
  async forget(rp: ScopeOwner, { name, since, until }: ErasedName): Promise<void> {
    const foldedBytes = Buffer.from(foldedName(name));
    const named = { foldedName: foldedBytes, username: Buffer.from(name), ignoresCase: false };
    const params = { ...scope(rp), ...named, since, until };
    const rows = await this.database.query(DELETED_USERS_OF_NAME, params);
    const steps = rows.map(({ userId }) => END_DELETIONS_OF_USER.step({ ...scope(rp), userId }));
    if (steps.length > 0) await this.database.store(steps);
  }
}

/** SQLite and MySQL return booleans as numbers. */
const deletionOf = (relyingParty: RelyingParty, row: DeletedUserRow) => ({
  ...row,
  until: row.at + UNDO_MS,
  relyingParty,
  username: row.username.toString('utf8'),
  account: row.account.toString('utf8'),
  whole: Boolean(row.whole),
});

const hasKey = (row: DeletionRow): row is DeletionKeyRow => row.credentialHash !== null;

function deletionsOf(relyingParty: RelyingParty, rows: readonly DeletionRow[]): KeptDeletion[] {
  const deletions = new Map<string, KeptDeletion & { readonly keys: KeptKey[] }>();
  for (const row of rows) {
    const name = mapKey(row.id);
    const keys: KeptKey[] = [];
    const one = deletions.get(name) ?? { ...deletionOf(relyingParty, row), keys };
    deletions.set(name, one);
    if (!hasKey(row)) continue;
    const flags = { enabled: Boolean(row.enabled), backupEligible: Boolean(row.backupEligible) };
    one.keys.push({ ...row, ...flags });
  }
  return [...deletions.values()];
}
