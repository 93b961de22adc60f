import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../platform/common/clock.js';
import { insertStep } from '../platform/database/commit/step-of.js';
import type { Step } from '../platform/database/commit/unit.js';
import { Database } from '../platform/database/database.js';
import { scope } from '../platform/database/scope.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { nameKey } from '../tenancy/usernames/name-key.js';
import type { KnownUser } from '../users/credentials/credential-reader.js';
import { PermissionOwners } from '../users/permission-owners.js';
import { InvitationKey, type Invitation } from './invitation.entity.js';
import { STATE_REASONS, invitationStateOf } from './invitation-state.js';
import { BEGIN_WITH_INVITATION, COUNT_KEY, COUNT_WRONG_NAME } from './invitation.statements.js';
import { Invitations } from './invitations.js';
/** The detail that tells pages that the invitation is over and the help desk can create a new link. */
const OVER = { detail: 'invitation-over' };

/** The data of an invitation in a registration that was begun with it. */
export interface InvitationPermit {
  /** ID of the invitation, Base64URL. */
  readonly invitation: string;
  /** The number of keys registered with the invitation at that time. */
  readonly keysMade: number;
  /** The fingerprint of the key whose sign-in permits a further one, Base64URL. */
  readonly signedInWith?: string;
}

interface Follower {
  readonly username: string;
  /** The user who has the name here. */
  readonly user: KnownUser | undefined;
  readonly code: string;
  /** Whether an application vouches for the user: its backend has signed the user in. */
  readonly vouched: boolean;
  /** Returns the fingerprint of the key whose recent sign-in the request proves. */
  readonly signedInWith: () => Promise<Buffer | undefined>;
}

interface InvitedKey {
  readonly credentialHash: Buffer;
  /** The ID of the user for whom the key is, as returned by `PermissionOwners.ownerOf`. */
  readonly owner: Buffer;
  readonly userId: Buffer;
}

/** A use of a code: the user name sent with it, and the ID of the user for whom the key is. */
interface CodeUse extends Pick<Follower, 'username' | 'code'> {
  readonly owner: Buffer;
}

/** The permits of an invitation: registrations of one user's keys, one after another. */
@Injectable()
export class InvitationPermits {
  constructor(
    private readonly invitations: Invitations,
    @InjectRepository(InvitationKey) private readonly keys: Repository<InvitationKey>,
    private readonly owners: PermissionOwners,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks whether the invitation permits a registration.
   *
   * @returns its terms, and `count`, which counts the begin call: to be called once nothing else refuses it
   * @throws ApiError E0043R if the invitation is not valid; the sentence says what to do
   */
  async check(rp: RelyingParty, follower: Follower) {
    const { username: called, user, code } = follower;
    const owner = await this.owners.ownerOf(rp, called, user);
    const found = await this.open(rp, { username: called, code, owner });
    const vouchedBy = await this.vouchedBy(rp, found, follower);
    const { username, displayName, minKeys } = found;
    const mayLink = found.mayLink === true;
    const permit: InvitationPermit = {
      invitation: found.id.toString('base64url'),
      keysMade: found.keysMade,
      ...(vouchedBy && { signedInWith: vouchedBy.toString('base64url') }),
    };
    const count = () => this.countBegun(rp, found);
    return { permit, username, displayName, minKeys, mayLink, count };
  }

  /**
   * Begins a sign-in with the invitation as second factor. Counts like the begin of a registration, and uses
   * nothing up.
   *
   * @returns the invitation's ID, Base64URL
   * @throws ApiError E0043R as `check`
   */
  async beginSignIn(rp: RelyingParty, use: CodeUse): Promise<string> {
    const found = await this.open(rp, use);
    await this.countBegun(rp, found);
    return found.id.toString('base64url');
  }

  /** Whether the invitation with which a sign-in was begun has been neither withdrawn nor locked. */
  async isStillGood(rp: RelyingParty, id: string): Promise<boolean> {
    const found = await this.invitations.byId(rp, id);
    const state = found && invitationStateOf(found, this.clock.now());
    return state !== undefined && state !== 'revoked' && state !== 'locked';
  }

  /**
   * Finds the open invitation of a code and a user. Counts a wrong name.
   *
   * @throws ApiError E0043R
   */
  private async open(rp: RelyingParty, { username, code, owner }: CodeUse): Promise<Invitation> {
    const found = await this.invitations.find(rp, code);
    if (!found) throw new ApiError('E0043R', 'invitation.linkWrong', {}, OVER);
    this.ensureOpen(found);
    if (nameKey(rp, found.username) !== nameKey(rp, username)) {
      const count = COUNT_WRONG_NAME.mustChange({ ...scope(rp), id: found.id });
      // Of simultaneous guesses beyond the limit, a wrong name is refused like the right one.
      if (!(await this.database.commit([count]))) await this.ensureStillOpen(rp, found.id);
      throw new ApiError('E0043R', 'invitation.otherName', {}, { detail: 'invitation-other-name' });
    }
    if (await this.owners.isFor(rp, found, owner)) return found;
    throw new ApiError('E0043R', 'invitation.otherUser', {}, OVER);
  }

  /** @throws ApiError E0043R if the invitation has changed since it was read */
  private async countBegun(rp: RelyingParty, { id, keysMade }: Invitation): Promise<void> {
    const asRead = { ...scope(rp), id, keysMade };
    const step = BEGIN_WITH_INVITATION.mustChange({ ...asRead, now: this.clock.now() });
    if (await this.database.commit([step])) return;
    await this.ensureStillOpen(rp, id);
    throw new ApiError('E0043R', 'invitation.raced');
  }

  /** @throws ApiError E0043R */
  private async ensureStillOpen(rp: RelyingParty, id: Buffer): Promise<void> {
    this.ensureOpen(await this.invitations.get(rp, id.toString('base64url')));
  }

  /**
   * Steps that count the key of a registration; they fail if another key was registered in the meantime, and if
   * the invitation is for another user.
   */
  countKey(
    rp: RelyingParty,
    { invitation, keysMade }: InvitationPermit,
    { credentialHash, owner, userId }: InvitedKey,
  ): Step[] {
    const invitationId = Buffer.from(invitation, 'base64url');
    return [
      COUNT_KEY.mustChange({ ...scope(rp), id: invitationId, keysMade, owner, userId }),
      insertStep(this.keys, { ...scope(rp), invitationId, credentialHash }),
    ];
  }

  /**
   * Returns why a registration that was begun with an invitation created no key; `undefined` if the invitation
   * is not the reason.
   */
  async refusalOf(rp: RelyingParty, permit: InvitationPermit): Promise<ApiError | undefined> {
    const found = await this.invitations.byId(rp, permit.invitation);
    if (!found) return new ApiError('E0043R', 'invitation.linkWrong', {}, OVER);
    const state = invitationStateOf(found, this.clock.now());
    if (state === 'used' || state === 'revoked' || state === 'locked') {
      return new ApiError('E0043R', STATE_REASONS[state], {}, OVER);
    }
    return found.keysMade === permit.keysMade
      ? undefined
      : new ApiError('E0043R', 'invitation.raced');
  }

  /** @throws ApiError E0043R */
  private ensureOpen(invitation: Invitation): void {
    const state = invitationStateOf(invitation, this.clock.now());
    if (state !== 'open') throw new ApiError('E0043R', STATE_REASONS[state], {}, OVER);
  }

  /** The fingerprint of the key that permits a further one; the first key needs none. */
  private async vouchedBy(rp: RelyingParty, { id, keysMade }: Invitation, follower: Follower) {
    if (keysMade === 0 || follower.vouched) return undefined;
    const credentialHash = await follower.signedInWith();
    const known =
      credentialHash &&
      (await this.keys.existsBy({ ...scope(rp), invitationId: id, credentialHash }));
    if (!known) throw new ApiError('E0043R', 'invitation.needsToken');
    return credentialHash;
  }
}
