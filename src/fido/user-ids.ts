import { Injectable } from '@nestjs/common';
import { CredentialReader } from '../credentials/credential-reader.js';
import { Subjects } from '../credentials/subjects.js';
import type { Step } from '../database/commit/unit.js';
import { Moves } from '../credentials/moves/moves.js';
import { ApiError } from '../errors/api-error.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import type { PendingSubject } from './ceremonies/ceremony.js';

/** A user as a begin call found it. */
interface Known {
  readonly id: Buffer;
  readonly subject: string | undefined;
}

const NEEDS_KEY = '"userId" is for an application, which brings its key.';
const CONFLICT = 'This user has another "userId", or another user has this one.';

/** `userId` of a begin call: the user's ID at the customer's own application, which never changes. */
@Injectable()
export class UserIds {
  constructor(
    private readonly subjects: Subjects,
    private readonly moves: Moves,
    private readonly reader: CredentialReader,
  ) {}

  /** Whether somebody has this name at the domain whose users move here. */
  async isFormer(rp: RelyingParty, username: string): Promise<boolean> {
    return (await this.moves.formerUser(rp, username)) !== undefined;
  }

  /** As `Moves.whileEnabled`. */
  whileEnabled(rp: RelyingParty, credentialHash: Buffer): Step[] {
    return this.moves.whileEnabled(rp, credentialHash);
  }

  /**
   * The ID for a new user who comes from another domain, which follows from the ID there; else `undefined`.
   */
  async newIdOf(rp: RelyingParty, username: string): Promise<Buffer | undefined> {
    const former = await this.moves.formerUser(rp, username);
    return former && this.moves.userIdAt(rp, former.id);
  }

  /**
   * The subject that the ceremony ends with: the user's, else the one that an application gives.
   *
   * @param user `undefined` for one whom the ceremony makes
   * @throws ApiError E0001R for a `userId` without an application key, and for a conflict
   */
  async check(
    rp: RelyingParty,
    user: Known | undefined,
    { userId, vouched }: { userId: string | undefined; vouched: boolean },
  ): Promise<PendingSubject> {
    const subject = user?.subject;
    if (userId === undefined) return subject === undefined ? {} : { subject };
    if (!vouched) throw new ApiError('E0001R', NEEDS_KEY);
    if (subject === userId) return { subject };
    if (subject !== undefined || (await this.subjects.find(rp, userId))) throw conflict();
    return { subject: userId, binds: true };
  }

  /**
   * What goes into the unit that completes a ceremony of a user who exists, so that the ceremony gives its
   * subject if and only if it completes. Where the unit fails, `isBound` tells whether this was the reason.
   */
  binding(rp: RelyingParty, user: Buffer, { subject, binds }: PendingSubject): Step[] {
    return binds && subject !== undefined ? [this.subjects.binding(rp, user, subject)] : [];
  }

  /**
   * Whether another ceremony of the same user was faster, so that this one has nothing to bind any more.
   *
   * @throws ApiError E0001R for a conflict that came up meanwhile
   */
  async isBound(
    rp: RelyingParty,
    user: Buffer,
    { subject, binds }: PendingSubject,
  ): Promise<boolean> {
    if (!binds || subject === undefined) return false;
    const owner = await this.subjects.find(rp, subject);
    if (owner) {
      if (owner.equals(user)) return true;
      throw conflict();
    }
    const account = await this.reader.findAccount(rp, user);
    if (account?.subject !== undefined) throw conflict();
    return false;
  }

  /** The refusal of a registration that created no user, since another one has the subject meanwhile. */
  async conflictOf(
    rp: RelyingParty,
    { subject, binds }: PendingSubject,
  ): Promise<ApiError | undefined> {
    const taken = binds && subject !== undefined && (await this.subjects.find(rp, subject));
    return taken ? conflict() : undefined;
  }
}

const conflict = () => new ApiError('E0001R', CONFLICT);
