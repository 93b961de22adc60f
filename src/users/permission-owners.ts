import { Injectable } from '@nestjs/common';
import { IsNull, type FindOptionsWhere } from 'typeorm';
import { NO_ID } from '../platform/database/row-ids.js';
import { scope, type Scope } from '../platform/database/scope.js';
import { foldedName } from '../platform/validation/values/folded-name.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { ignoresCase } from '../tenancy/usernames/name-key.js';
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

/** The columns by which the permissions of a name are found. */
interface PermissionColumns extends Scope {
  readonly username: string;
  readonly foldedName: Buffer | null;
  readonly userId: Buffer | null;
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
   * The conditions for the permissions of a name, one of which must hold. Only those of the current user of the name:
   * permissions of former users are not valid.
   */
  async conditionsFor(
    rp: RelyingParty,
    called: string,
  ): Promise<FindOptionsWhere<PermissionColumns>[]> {
    const { username, userId } = await this.named(rp, called);
    const named = { ...scope(rp), username };
    const exact = [
      { ...named, userId },
      { ...named, userId: IsNull() },
    ];
    if (!ignoresCase(rp)) return exact;
    // Issued in another case. Rows of earlier versions have no folded name.
    return [...exact, { ...scope(rp), foldedName: Buffer.from(foldedName(username)), userId }];
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
