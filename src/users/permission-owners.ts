import { Injectable } from '@nestjs/common';
import { NO_ID } from '../platform/database/row-ids.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { RegisteredNames } from '../tenancy/usernames/registered-names.js';
import { CredentialReader, type KnownUser } from './credentials/credential-reader.js';
import { EarlierNames } from './earlier-names/earlier-names.js';
import { Moves } from './moves/moves.js';

/** A stored permission that names its user: an invitation or a ticket. */
interface NamedPermission {
  readonly username: string;
  /** As returned by `ownerOf` when the permission was issued; `null` in rows of earlier versions. */
  readonly userId: Buffer | null;
  /** Milliseconds since 1970; not later than the permission was issued. */
  readonly issuedAt: number;
}

/**
 * The owner of an invitation or a ticket. It is valid for the user who had the name when it was issued, and never for
 * the next user of that name. If no user had the name, it creates its user, and is then valid for that user only.
 */
@Injectable()
export class PermissionOwners {
  constructor(
    private readonly moves: Moves,
    private readonly names: EarlierNames,
    private readonly reader: CredentialReader,
    private readonly registered: RegisteredNames,
  ) {}

  /** A name as it is registered, its owner as `ownerOf` returns it, and whether its user is suspended. */
  async named(rp: RelyingParty, called: string) {
    const username = await this.registered.ofOne(rp, called);
    const user = await this.reader.findUser(rp, username);
    const moving = user ? undefined : await this.moves.counterparts(rp, username);
    const { isSuspended = false } = user ?? moving?.predecessorUser ?? {};
    return { username, userId: user?.id ?? moving?.userId ?? NO_ID, isSuspended };
  }

  /**
   * The ID of a name's user, or the future ID here of a user of the predecessor; `NO_ID` if the name has neither.
   *
   * @param user the user who has the name here
   */
  async ownerOf(
    rp: RelyingParty,
    username: string,
    user: Pick<KnownUser, 'id'> | undefined,
  ): Promise<Buffer> {
    return user?.id ?? (await this.moves.counterparts(rp, username))?.userId ?? NO_ID;
  }

  async isFor(
    rp: RelyingParty,
    { username, userId, issuedAt }: NamedPermission,
    owner: Buffer,
  ): Promise<boolean> {
    if (userId) return userId.equals(owner);
    if (owner.equals(NO_ID)) return true;
    const user = await this.reader.findUser(rp, username);
    // Otherwise the owner is still expected from the predecessor, which a permission without a user does not prove.
    if (!user?.id.equals(owner)) return false;
    const since = await this.names.heldSince(rp, user.id);
    return since !== undefined && since <= issuedAt;
  }
}
