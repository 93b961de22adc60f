import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { scope } from '../platform/database/scope.js';
import { isKnownName } from '../platform/validation/values/names.js';
import type { EntraSettings } from '../issuers/clients/oidc-client.entity.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { CredentialReader } from '../users/credentials/credential-reader.js';
import { Moves } from '../users/moves/moves.js';
import { User } from '../users/user.entity.js';
import type { EntraHint } from './hint-verifier.js';

/** Why a user cannot sign in here. */
export type NoSignIn = 'unknown-user' | 'user-suspended' | 'no-enabled-key';

/** A user with a key that may sign in. */
interface EntraUser {
  /** The ID that the user has, or will have, at this relying party. */
  readonly id: Buffer;
  readonly username: string;
}

/** Finds the users whom Entra ID names. */
@Injectable()
export class EntraUsers {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly reader: CredentialReader,
    private readonly moves: Moves,
  ) {}

  async find(
    rp: RelyingParty,
    { userClaim }: EntraSettings,
    hint: EntraHint,
  ): Promise<EntraUser | NoSignIn> {
    const name =
      userClaim === 'oid' ? await this.nameOf(rp, hint.oid ?? '') : hint.preferredUsername;
    if (!isKnownName(name)) return 'unknown-user';
    const user = await this.reader.findUserToSignIn(rp, name);
    if (user) return user;
    const moving = await this.moves.toSignIn(rp, name);
    if (moving) return { id: moving.userId, username: moving.user.username };
    const known = await this.reader.findUser(rp, name);
    if (!known) return 'unknown-user';
    return known.isSuspended ? 'user-suspended' : 'no-enabled-key';
  }

  private async nameOf(rp: RelyingParty, oid: string): Promise<string | undefined> {
    const where = { ...scope(rp), externalId: Buffer.from(oid) };
    return (await this.users.findOne({ where }))?.username;
  }
}
