import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { insertStep } from '../../database/commit/step-of.js';
import { isUniqueViolation } from '../../database/commit/unique-violation.js';
import type { Step } from '../../database/commit/unit.js';
import { Database } from '../../database/database.js';
import type { Query } from '../../database/database.js';
import { scopeParams } from '../../database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/tenant-directory.js';
import { normalizeName } from '../../validation/names.js';
import { CredentialReader } from '../credential-reader.js';
import type { KnownUser, UserToSignIn } from '../credential-reader.js';
import { Move } from './move.entity.js';
import { COUNT_MOVED, STILL_ENABLED } from './move.statements.js';

/** A user of the old domain who signs in at the new one. */
export interface Moving {
  /** The old domain, as `Moves.formerOf` returns it. */
  readonly keptAt: RelyingParty;
  readonly user: UserToSignIn;
}

/** How far a move has come. */
export interface MoveProgress {
  /** Number of users of the old domain. */
  readonly users: number;
  /** How many of them have a key at the new one. */
  readonly moved: number;
}

const ID_BYTES = 16;

/**
 * Users who move from an old domain to a new one (decisions: OUT OF SPEC in that two RP IDs serve one
 * account). For a relying party without a predecessor, nothing here asks the database.
 */
@Injectable()
export class Moves {
  private readonly counts: Query<MoveProgress>;

  constructor(
    @InjectRepository(Move) private readonly moves: Repository<Move>,
    private readonly database: Database,
    private readonly directory: TenantDirectory,
    private readonly reader: CredentialReader,
    private readonly clock: Clock,
  ) {
    this.counts = database.query(COUNT_MOVED);
  }

  /**
   * The predecessor as the successor's pages use it: its own keys and RP ID, but the origins and the policy
   * of the successor, which also gets the events and tokens. User names are compared by the predecessor's
   * rule. `undefined` where there is no predecessor.
   */
  formerOf(rp: RelyingParty): RelyingParty | undefined {
    const former = this.directory.current.predecessorOf(rp);
    if (!former) return undefined;
    const policy = { ...rp.policy, usernames: former.policy.usernames };
    return { ...former, origins: rp.origins, policy, successor: rp };
  }

  /** The user and keys of a name at the old domain; `undefined` where the name has any key at this one. */
  async toSignIn(rp: RelyingParty, username: string): Promise<Moving | undefined> {
    const keptAt = this.formerOf(rp);
    if (!keptAt) return undefined;
    if (await this.hasKey(rp, username)) return undefined;
    const user = await this.reader.findUserToSignIn(keptAt, username);
    if (!user) return undefined;
    // The old domain may ignore case, and this one may not: that spelling can have a key here too.
    const isOther = user.username !== normalizeName(username);
    return isOther && (await this.hasKey(rp, user.username)) ? undefined : { keptAt, user };
  }

  private async hasKey(rp: RelyingParty, username: string): Promise<boolean> {
    const user = await this.reader.findUser(rp, username);
    return user !== undefined && user.credentials.length > 0;
  }

  /** The user of the old domain who has this name; `undefined` where there is none, or no move. */
  async formerUser(rp: RelyingParty, username: string): Promise<KnownUser | undefined> {
    const former = this.formerOf(rp);
    return former && this.reader.findUser(former, username);
  }

  /** The ID that a user of the old domain has, or will have, at the new one: always the same. */
  userIdAt({ id }: RelyingParty, formerUserId: Buffer): Buffer {
    return hash('sha256', Buffer.concat([id, formerUserId]), 'buffer').subarray(0, ID_BYTES);
  }

  /** Stores that a user of the old domain has moved, so that the month's active users count one person. */
  async note(rp: RelyingParty, formerUserId: Buffer): Promise<void> {
    const former = this.formerOf(rp);
    if (!former) return;
    const userId = this.userIdAt(rp, formerUserId);
    if (await this.moves.existsBy({ userId })) return;
    const row = {
      userId,
      formerUserId,
      formerRelyingPartyId: former.id,
      relyingPartyId: rp.id,
      tenantId: rp.tenantId,
      movedAt: this.clock.now(),
    };
    try {
      await this.database.commit([insertStep(this.moves, row)]);
    } catch (error) {
      // Another sign-in of the same person was faster.
      if (!isUniqueViolation(error)) throw error;
    }
  }

  /**
   * The guard that a unit begins with if an old key vouches for it: the key must still be enabled.
   *
   * @param credentialHash SHA-256 of the key's credential ID
   */
  whileEnabled(rp: RelyingParty, credentialHash: Buffer): Step[] {
    const former = this.formerOf(rp);
    // Where the move has ended meanwhile, the guard fails: this relying party has no such key.
    const params = [...scopeParams(former ?? rp), credentialHash];
    return [{ sql: STILL_ENABLED, params, guard: true }];
  }

  /** How many users have moved to a relying party; `undefined` where it has no predecessor. */
  async progress(rp: RelyingParty): Promise<(MoveProgress & { from: string }) | undefined> {
    const former = this.formerOf(rp);
    if (!former) return undefined;
    const [row] = await this.counts.all(rp.id, ...scopeParams(former));
    return { from: former.domain, users: row?.users ?? 0, moved: row?.moved ?? 0 };
  }
}
