import { Injectable } from '@nestjs/common';
import { CredentialReader } from '../../users/credentials/credential-reader.js';
import type { UserToSignIn } from '../../users/credentials/credential-reader.js';
import { Moves } from '../../users/moves/moves.js';
import type { Moving } from '../../users/moves/moves.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { MadeUpUsers } from '../unknown-users/made-up-users.js';

/** A user of the old domain or a made-up one, and how the ceremony remembers which. */
interface Found extends Pick<Moving, 'keptAt' | 'user'> {
  readonly how: { readonly former: true; readonly movesTo: string } | { readonly madeUp: true };
}

/** Why a name cannot sign in: callers are told the same for both, only the help desk learns which it was. */
export type NoAccount = 'unknown-user' | 'no-enabled-key';

/** Users whom a begin call names, with the keys that may sign in. */
@Injectable()
export class NamedUsers {
  constructor(
    private readonly reader: CredentialReader,
    private readonly moves: Moves,
    private readonly madeUp: MadeUpUsers,
  ) {}

  /** The user with the keys that may sign in. */
  find(rp: RelyingParty, username: string): Promise<UserToSignIn | undefined> {
    return this.reader.findUserToSignIn(rp, username);
  }

  /**
   * A user who stands for a name that cannot sign in, where the policy says `pretend`. To be called for every
   * name, before the user is looked for, so that names that can sign in take the same time.
   */
  makeUp(rp: RelyingParty, username: string): UserToSignIn {
    return this.madeUp.make(rp, username);
  }

  /**
   * The user who signs in with a name that has no key here that may: a made-up one, or one of the old domain.
   *
   * @throws ApiError 403 where nobody does
   */
  async findOther(
    rp: RelyingParty,
    username: string,
    madeUp: UserToSignIn | undefined,
  ): Promise<Found> {
    if (madeUp) return { keptAt: rp, user: madeUp, how: { madeUp: true } };
    const moving = await this.moves.toSignIn(rp, username);
    if (moving) {
      const { keptAt, user, userId } = moving;
      return { keptAt, user, how: { former: true, movesTo: userId.toString('base64url') } };
    }
    throw ApiError.noAccount(await this.whyNot(rp, username));
  }

  async whyNot(rp: RelyingParty, username: string): Promise<NoAccount> {
    return (await this.reader.findUser(rp, username)) ? 'no-enabled-key' : 'unknown-user';
  }
}
