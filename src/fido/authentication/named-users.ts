import { Injectable } from '@nestjs/common';
import { CredentialReader } from '../../users/credentials/credential-reader.js';
import { Moves, type MovingUser } from '../../users/moves/moves.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { MadeUpUsers } from '../unknown-users/made-up-users.js';

/** The user who signs in, and how the ceremony marks a user of another domain or a made-up one. */
interface SignInUser extends Pick<MovingUser, 'ownerRp' | 'user'> {
  readonly how?: { readonly former: true; readonly movesTo: string } | { readonly madeUp: true };
}

/** Finds the user that a begin call names, with the keys that may sign in. */
@Injectable()
export class NamedUsers {
  constructor(
    private readonly reader: CredentialReader,
    private readonly moves: Moves,
    private readonly madeUp: MadeUpUsers,
  ) {}

  /**
   * The user with the keys that may sign in: a user of this relying party, else a made-up one if the policy says
   * `pretend`, else a user of the old domain.
   *
   * @throws ApiError 403 if there is none
   */
  async find(rp: RelyingParty, username: string): Promise<SignInUser> {
    // Made up for every name, so that known and unknown names take the same time.
    const madeUp =
      rp.policy.unknownUsers === 'pretend' ? this.madeUp.make(rp, username) : undefined;
    const user = await this.reader.findUserToSignIn(rp, username);
    if (user) return { ownerRp: rp, user };
    if (madeUp) return { ownerRp: rp, user: madeUp, how: { madeUp: true } };
    const moving = await this.moves.toSignIn(rp, username);
    if (moving) {
      const { userId, ...found } = moving;
      return { ...found, how: { former: true, movesTo: userId.toString('base64url') } };
    }
    throw ApiError.noAccount(await this.whyNot(rp, username));
  }

  /** Why a name cannot sign in. Callers get the same answer for both; only the help desk sees the reason. */
  async whyNot(rp: RelyingParty, username: string): Promise<'unknown-user' | 'no-enabled-key'> {
    return (await this.reader.findUser(rp, username)) ? 'no-enabled-key' : 'unknown-user';
  }
}
