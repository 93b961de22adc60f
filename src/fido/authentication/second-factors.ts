import { Injectable } from '@nestjs/common';
import type { CredentialFacts } from '../../users/credentials/credential-reader.js';
import type { SecondFactorName } from '../../users/credentials/sign-in-writer.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { InvitationPermits } from '../../invitations/invitation-permits.js';
import { ensureKeyPermission } from '../../platform/access/permissions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { SignInTokens } from '../sign-in-tokens.js';
import type { BeginCaller } from '../ceremonies/caller-session.js';
import type { SecondFactor } from '../ceremonies/ceremony.js';
import type { BeginAuthenticationDto } from './authentication.dto.js';

/** The caller of a begin call, with the user that was found and the user's ID at this relying party. */
interface SignInCaller extends Omit<BeginCaller, 'session'> {
  readonly user: { readonly id: Buffer; readonly username: string } | undefined;
}

/**
 * Second factors beside a key. A key whose user verification does not count yet may be stolen, with a PIN
 * that the thief has set. With a second factor a sign-in with user verification makes it count, for later
 * sign-ins only (W3C WebAuthn L3 §7.2: the flag must not be relied on in that ceremony).
 */
@Injectable()
export class SecondFactors {
  constructor(
    private readonly tokens: SignInTokens,
    private readonly invitations: InvitationPermits,
  ) {}

  /**
   * Checks who may claim a second factor. Reads nothing.
   *
   * @throws ApiError E0043R for `secondFactor` without a key with that permission or without a name, E0001R for a
   *   `ticket` without a name
   */
  check({ username, secondFactor, ticket }: BeginAuthenticationDto, { key }: BeginCaller): void {
    if (username === undefined && ticket !== undefined) {
      throw new ApiError('E0001R', 'ticket.needsName');
    }
    if (!secondFactor) return;
    if (!key) throw new ApiError('E0043R', 'secondFactor.needsKey');
    ensureKeyPermission(key, 'second-factor');
    if (username === undefined) throw new ApiError('E0043R', 'secondFactor.needsName');
  }

  /**
   * The second factor in a begin call, if any.
   *
   * @throws ApiError E0043R for a `ticket` that is not an open invitation of this user
   */
  async find(
    rp: RelyingParty,
    { secondFactor, ticket }: BeginAuthenticationDto,
    { user, authorization, key }: SignInCaller,
  ): Promise<SecondFactor | undefined> {
    if (ticket !== undefined && user) {
      const { id: owner, username } = user;
      const use = { username, code: ticket, owner };
      return { invitation: await this.invitations.beginSignIn(rp, use) };
    }
    if (secondFactor) return { application: true };
    if (key || authorization === undefined) return undefined;
    const signedIn = await this.tokens.signedIn(rp, authorization);
    const credential = await this.tokens.credentialOf(rp, signedIn);
    return (
      credential && {
        signedInWith: credential.credentialHash.toString('base64url'),
        user: credential.userId.toString('base64url'),
      }
    );
  }

  /** The second factor of a ceremony, if it counts for the credential that completes it. */
  async countedFor(
    rp: RelyingParty,
    { userId, credentialHash }: CredentialFacts,
    factor: SecondFactor,
  ): Promise<SecondFactorName | undefined> {
    if ('application' in factor) return 'application';
    if ('invitation' in factor) {
      const isGood = await this.invitations.isStillGood(rp, factor.invitation);
      return isGood ? 'invitation' : undefined;
    }
    const other = Buffer.from(factor.signedInWith, 'base64url');
    const isOther = !other.equals(credentialHash) && userId.toString('base64url') === factor.user;
    return isOther && (await this.tokens.canSignIn(rp, other)) ? 'token' : undefined;
  }
}
