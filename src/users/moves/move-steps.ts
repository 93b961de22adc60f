import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/common/sha256.js';
import { Clock } from '../../platform/common/clock.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { KnownUser } from '../credentials/credential-reader.js';
import { LOCK_ENABLED_CREDENTIAL } from '../credentials/credential.statements.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import {
  ADD_LINK,
  ADD_SEPARATE_NAME,
  DROP_SEPARATE_NAME,
  MARK_ARRIVED,
  RELINK,
  LOCK_LINK,
  LOCK_LINK_OF_ABSENT_USER,
  SEPARATE_NAMES,
  type Link,
  type SeparateNameRow,
} from './move.statements.js';

export interface Counterparts {
  /** The new domain. */
  readonly rp: RelyingParty;
  readonly former: RelyingParty;
  /** The ID that the user has, or will have, at the new domain. */
  readonly userId: Buffer;
  /** `undefined` if the user does not exist at the new domain yet. */
  readonly here: KnownUser | undefined;
  /** The user at the old domain. */
  readonly there: KnownUser;
  /** Whether the link is stored; otherwise the two are the same user because of the same name. */
  readonly isLinked: boolean;
}

/** Conditions that must still be met when a user arrives at the new domain. */
interface Arrival extends Link {
  /** The name of a user who exists at the new domain; absent for one who must not exist there yet. */
  readonly nameHere?: string | undefined;
  readonly nameThere: string;
}

const ID_BYTES = 16;

/** The ID at the new domain of a user of the old one: always the same. */
export const userIdAt = ({ id }: RelyingParty, formerUserId: Buffer): Buffer =>
  sha256(Buffer.concat([id, formerUserId])).subarray(0, ID_BYTES);

const hashesOf = (name: string): SeparateNameRow => ({
  foldedHash: sha256(foldedName(name)),
  nameHash: sha256(normalizeName(name)),
});

const separateNameParams = (rp: RelyingParty, name: string) => ({
  ...hashesOf(name),
  ignoresCase: ignoresCase(rp),
});

/** The names among these that are separate: they never lead to keys of the old domain. */
export async function separateNames(
  database: Database,
  rp: RelyingParty,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const hashes = new Map(names.map((name) => [name, hashesOf(name)]));
  const foldedHashes = [...hashes.values()].map(({ foldedHash }) => foldedHash);
  const rows = await database.query(SEPARATE_NAMES, { ...scope(rp), foldedHashes });
  const counts = (name: SeparateNameRow, row: SeparateNameRow) =>
    row.foldedHash.equals(name.foldedHash) &&
    (ignoresCase(rp) || row.nameHash.equals(name.nameHash));
  const found = [...hashes].filter(([, name]) => rows.some((row) => counts(name, row)));
  return new Set(found.map(([name]) => name));
}

/** The steps of units in which users move from an old domain to a new one. */
@Injectable()
export class MoveSteps {
  constructor(
    private readonly database: Database,
    private readonly directory: RelyingPartyCache,
    private readonly clock: Clock,
  ) {}

  /**
   * The steps with which a user arrives at the new domain, by signing in or by registering. They fail if the name no
   * longer leads to this user.
   */
  arrival(rp: RelyingParty, { nameHere, nameThere, ...link }: Arrival): Step[] {
    const come = MARK_ARRIVED.mustChange({
      ...scope(rp),
      ...link,
      ...separateNameParams(rp, nameThere),
      now: this.clock.now(),
      // No user has an empty name.
      nameHere: Buffer.from(nameHere ?? ''),
      nameThere: Buffer.from(nameThere),
      foldedNameThere: Buffer.from(ignoresCase(rp) ? foldedName(nameThere) : ''),
    });
    return [...this.adding(rp, link, 0), come];
  }

  /** The steps that link a user at both domains. They fail if one of the two is linked to another user. */
  linking({ rp, userId, here, there }: Counterparts): Step[] {
    const link = { userId, formerUserId: there.id };
    const params = { ...scope(rp), ...link };
    // A user who did not exist at the new domain must not exist there now.
    return here
      ? [...this.adding(rp, link, this.clock.now()), LOCK_LINK.mustChange(params)]
      : [...this.adding(rp, link, 0), LOCK_LINK_OF_ABSENT_USER.mustChange(params)];
  }

  /** The step that makes a name a separate one; none if there is no move. */
  separating(rp: RelyingParty, name: string): Step[] {
    if (!this.directory.current.predecessorOf(rp)) return [];
    return [ADD_SEPARATE_NAME[this.database.kind].step({ ...scope(rp), ...hashesOf(name) })];
  }

  /** The step that makes a separate name an ordinary one again. */
  joining(rp: RelyingParty, name: string): Step {
    return DROP_SEPARATE_NAME.step({ ...scope(rp), ...separateNameParams(rp, name) });
  }

  private adding(rp: RelyingParty, link: Link, movedAt: number): Step[] {
    const former = this.directory.current.predecessorOf(rp);
    // If the move has ended in the meantime, the condition after these steps fails.
    if (!former) return [];
    const first = userIdAt(rp, link.formerUserId);
    const params = { ...scope(rp), ...link };
    const formerRelyingPartyId = former.id;
    return [
      ...(link.userId.equals(first) ? [] : [RELINK.step({ ...params, first })]),
      ADD_LINK[this.database.kind].step({ ...params, formerRelyingPartyId, movedAt }),
    ];
  }

  /**
   * The first condition of a unit that an old key vouches for: the key must still belong to this user and be enabled.
   *
   * @param credentialHash SHA-256 of the key's credential ID
   */
  whileEnabled(rp: RelyingParty, credentialHash: Buffer, formerUserId: Buffer): Step[] {
    const former = this.directory.current.predecessorOf(rp);
    // If the move has ended in the meantime, the condition fails: this relying party has no such key.
    const params = { ...scope(former ?? rp), credentialHash, userId: formerUserId };
    return [LOCK_ENABLED_CREDENTIAL.mustChange(params)];
  }
}
