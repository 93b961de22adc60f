import { Injectable } from '@nestjs/common';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { NameInTime } from '../../events/event-log.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { EVENT_OF_KEY } from '../../events/event.statements.js';
import { fingerprintOf } from '../../events/ledger.js';
import { LINKS_OF } from '../moves/link.statements.js';
import type { FoundUser } from '../user-rows.js';
import {
  EARLIER_NAMES_OF_USER,
  KEEP_EARLIER_NAME,
  KEEP_EARLIER_NAME_IF_FREE,
  FORMER_OWNERS,
  NAME_HELD_SINCE,
} from './earlier-name.statements.js';

/** A name and the period in which a user had it; `until` is absent if the user still has it. */
export interface HeldName extends NameInTime {
  readonly relyingParty: RelyingParty;
}

export interface FormerNameOwner {
  readonly userId: Buffer;
  /** The user's current name. */
  readonly username: string;
  readonly until: number;
}

/** Maximum number of former names of a user, and former users of a name, to read; real users have fewer. */
const MAX = 20;

/**
 * The step that stores a user's old name, for the unit that gives the user another one.
 *
 * @param free a relying party at which the new name must be free; otherwise the step fails
 */
export function keepEarlierName(
  { id, username, relyingParty }: Pick<FoundUser, 'id' | 'username' | 'relyingParty'>,
  until: number,
  free?: { readonly rp: RelyingParty; readonly name: string },
): Step {
  const row = { ...scope(relyingParty), username: Buffer.from(username), until, userId: id };
  if (!free) return KEEP_EARLIER_NAME.step(row);
  const { rp, name } = free;
  return KEEP_EARLIER_NAME_IF_FREE.mustChange({
    ...row,
    otherRelyingPartyId: rp.id,
    newName: Buffer.from(name),
    // No user has an empty name.
    newFoldedName: Buffer.from(ignoresCase(rp) ? foldedName(name) : ''),
  });
}

/**
 * Former names of users. Events contain the name that the user had at the time. A search for a user's events
 * reads each name only in the period in which this user had it, so it finds no other user's.
 */
@Injectable()
export class EarlierNames {
  constructor(private readonly database: Database) {}

  /** Users who had a name before; the last one to give it up comes first. */
  async formerOwners(rp: RelyingParty, name: string): Promise<FormerNameOwner[]> {
    const params = { username: Buffer.from(normalizeName(name)), limit: MAX };
    const rows = await this.database.query(FORMER_OWNERS, { ...scope(rp), ...params });
    return rows.map((row) => ({ ...row, username: row.username.toString('utf8') }));
  }

  /** When a user received the current name, in milliseconds since 1970; `undefined` without such a user. */
  async heldSince(rp: RelyingParty, userId: Buffer): Promise<number | undefined> {
    const [held] = await this.database.query(NAME_HELD_SINCE, { ...scope(rp), userId });
    return held?.since;
  }

  /**
   * All names of a user, the current one first. It counts from the time at which another user last gave it up:
   * earlier events under it belong to that user.
   */
  async heldBy({ id, username, createdAt, relyingParty }: FoundUser): Promise<HeldName[]> {
    const params = { ...scope(relyingParty), userId: id, limit: MAX };
    const [rows, others, userIds] = await Promise.all([
      this.database.query(EARLIER_NAMES_OF_USER, params),
      this.formerOwners(relyingParty, username),
      this.idsOf({ id, relyingParty }),
    ]);
    const earlier = rows.map((row, n) => ({
      relyingParty,
      userIds,
      username: row.username.toString('utf8'),
      from: rows[n + 1]?.until ?? createdAt,
      until: row.until,
    }));
    return [{ relyingParty, userIds, username, from: others[0]?.until ?? 0 }, ...earlier];
  }

  /** Whether events show that a user of this name had a key, which may have been deleted since. */
  async hadKey(
    { id, username, relyingParty }: FoundUser,
    credentialHash: Buffer,
  ): Promise<boolean> {
    const userIds = await this.idsOf({ id, relyingParty });
    const key = { username: Buffer.from(username), credential: fingerprintOf(credentialHash) };
    const params = { ...scope(relyingParty), ...key, userIds };
    return (await this.database.query(EVENT_OF_KEY, params)).length > 0;
  }

  /** The IDs of a user in events: a user who moved here from a predecessor has the ID there too. */
  private async idsOf({ id, relyingParty }: Pick<FoundUser, 'id' | 'relyingParty'>) {
    const links = await this.database.query(LINKS_OF, { ...scope(relyingParty), ids: [id] });
    return [id, ...links.map(({ predecessorUserId }) => predecessorUserId)];
  }
}
