import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { AuditEntry } from '../audit/audit-entry.js';
import { Clock } from '../platform/common/clock.js';
import { Database } from '../platform/database/database.js';
import type { Step } from '../platform/database/commit/unit.js';
import { scope } from '../platform/database/scope.js';
import { OVERTAKEN, untilStored } from '../platform/database/commit/until-stored.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { nameKey } from '../tenancy/usernames/name-key.js';
import { foldedName } from '../platform/validation/values/folded-name.js';
import { CHANGE_NAMES } from './user-change.statements.js';
import { CredentialReader, type KnownUser } from './credentials/credential-reader.js';
import { endingSteps } from './deletions/deletion-steps.js';
import { EARLIER_NAMES_OF_USER } from './earlier-names/earlier-name.statements.js';
import { keepEarlierName } from './earlier-names/earlier-names.js';
import { Moves, type UserAtDomains } from './moves/moves.js';
import { replaceSearchWords } from './search/search-word-steps.js';
import type { Names } from './user.entity.js';

type NamesOfUser = Pick<KnownUser, 'id' | 'username' | 'displayName'>;

/** The keys are absent for a user whom the caller had read. */
export interface NamedUser extends NamesOfUser, Partial<Pick<KnownUser, 'credentials'>> {
  readonly relyingParty: RelyingParty;
}

type Renaming = UserAtDomains<NamesOfUser>;

/** A renaming as a unit with its audit rows; without them if another user has the name. */
interface PreparedRenaming {
  readonly users: readonly NamedUser[];
  readonly change?: { readonly audit: readonly AuditEntry[]; readonly unit: readonly Step[] };
}

/** The result of a renaming, and the users before it. */
interface RenamingResult {
  readonly outcome: 'changed' | 'taken';
  readonly users: readonly NamedUser[];
}

/** How many earlier names of a user are read. */
const MAX_EARLIER = 50;

/** Changes the names of users; keys, handle and user ID stay. */
@Injectable()
export class UserRenaming {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly reader: CredentialReader,
    private readonly moves: Moves,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * Renames a user, during a move at both domains. The unique key of names decides if two users want the same one.
   *
   * @param wanted the names to change, in NFC
   * @param audit returns the audit row for a user; the unit that renames stores it
   * @returns `taken` if another user has the name, at either domain; `undefined` for an unknown user
   * @throws ApiError E0052R if the user is changed at the same time
   */
  async change(
    rp: RelyingParty,
    username: string,
    wanted: Partial<Names>,
    audit: (user: NamedUser) => AuditEntry,
  ): Promise<RenamingResult | undefined> {
    return untilStored('user.changing', async () => {
      const prepared = await this.prepare(rp, username, wanted, audit);
      if (!prepared) return undefined;
      const { users, change } = prepared;
      if (!change) return { outcome: 'taken', users };
      const isStored = await this.trail.commit(change.audit, change.unit);
      return isStored ? { outcome: 'changed', users } : OVERTAKEN;
    });
  }

  /**
   * The same as steps of a larger unit, which fails if the user is changed in the meantime.
   *
   * @param known the user who must have the name, as it was read: the unit must not apply if it has changed; any user by
   *   default
   */
  async prepare(
    rp: RelyingParty,
    username: string,
    wanted: Partial<Names>,
    audit: (user: NamedUser) => AuditEntry,
    known?: NamesOfUser,
  ): Promise<PreparedRenaming | undefined> {
    const found = await this.moves.atDomains(rp, username, known);
    if (!found) return undefined;
    const { users } = found;
    if (await this.isTaken(found, wanted)) return { users };
    return { users, change: { audit: users.map(audit), unit: this.unit(found, wanted) } };
  }

  /** Whether another user has the wanted name. */
  private async isTaken(
    { users, absentAt, successor }: Renaming,
    { username }: Partial<Names>,
  ): Promise<boolean> {
    if (username === undefined || users.every((user) => user.username === username)) return false;
    if (successor && (await this.moves.isSeparate(successor, username))) {
      if (!(await this.hadName(successor, users, username))) return true;
    }
    const places = [
      ...users.map(({ relyingParty }) => relyingParty),
      ...(absentAt ? [absentAt] : []),
    ];
    const owners = await Promise.all(places.map((rp) => this.reader.findUser(rp, username)));
    return owners.some((owner) => owner && !users.some(({ id }) => id.equals(owner.id)));
  }

  /** Whether it is an earlier name of the user, who may have it back. */
  private async hadName(
    rp: RelyingParty,
    users: readonly NamedUser[],
    username: string,
  ): Promise<boolean> {
    const names = await Promise.all(
      users.map(({ id, relyingParty }) => {
        const params = { ...scope(relyingParty), userId: id, limit: MAX_EARLIER };
        return this.database.query(EARLIER_NAMES_OF_USER, params);
      }),
    );
    const wanted = nameKey(rp, username);
    return names.flat().some((row) => nameKey(rp, row.username.toString('utf8')) === wanted);
  }

  private unit({ users, absentAt, successor, linking }: Renaming, wanted: Partial<Names>): Step[] {
    const until = this.clock.now();
    const { username: name } = wanted;
    return [
      ...linking,
      ...(successor && name !== undefined ? [this.moves.steps.joining(successor, name)] : []),
      ...users.flatMap(({ id, relyingParty, ...before }) => {
        const names = { username: before.username, displayName: before.displayName, ...wanted };
        const change = CHANGE_NAMES.mustChange({
          ...scope(relyingParty),
          id,
          username: Buffer.from(names.username),
          displayName: names.displayName,
          foldedName: Buffer.from(foldedName(names.username)),
          formerUsername: Buffer.from(before.username),
          formerDisplayName: before.displayName,
        });
        const user = { id, relyingParty, username: before.username };
        const other = absentAt && { rp: absentAt, name: names.username };
        return [
          change,
          ...(names.username === before.username
            ? []
            : [
                ...endingSteps(user, { forGood: false }),
                keepEarlierName(user, until, other),
                // At a successor, the earlier name leads to nobody else.
                ...this.moves.steps.separating(
                  (absentAt && successor) ?? relyingParty,
                  before.username,
                ),
              ]),
          ...replaceSearchWords(this.database.kind, { ...names, id, relyingParty }),
        ];
      }),
    ];
  }
}
