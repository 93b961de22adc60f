import { Injectable } from '@nestjs/common';
import type { KnownUser } from '../../users/credentials/credential-reader.js';
import { isCode } from '../../invitations/code.js';
import { InvitationPermits } from '../../invitations/invitation-permits.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { SignInTokens } from '../sign-in-tokens.js';

interface Applicant {
  readonly username: string;
  readonly user: KnownUser | undefined;
  readonly ticket: string | undefined;
  readonly authorization: string | undefined;
  readonly vouched: boolean;
}

/** Begins registrations with an invitation, whatever the rule for other registrations. */
@Injectable()
export class InvitedRegistration {
  constructor(
    private readonly permits: InvitationPermits,
    private readonly authority: SignInTokens,
  ) {}

  /**
   * An applicant with a code is held to its invitation, even where anybody may register: otherwise its page
   * would not tell what became of it.
   *
   * @returns `undefined` where the applicant brings no code
   * @throws ApiError E0043R where the invitation permits nothing
   */
  async begin(rp: RelyingParty, applicant: Applicant) {
    const { username, ticket, user, authorization, vouched } = applicant;
    if (ticket === undefined || !isCode(ticket)) return undefined;
    const { permit, displayName, minKeys, ...found } = await this.permits.begin(rp, {
      username,
      code: ticket,
      vouched,
      signedInWith: () => this.signedInWith(rp, user, authorization),
    });
    // The display name is the invitation's, else the user's present one: the page of an invitation has none.
    const called = displayName ?? user?.displayName ?? found.username;
    return { permit, username: found.username, displayName: called, verifiesUser: minKeys > 1 };
  }

  private async signedInWith(
    rp: RelyingParty,
    user: KnownUser | undefined,
    authorization: string | undefined,
  ): Promise<Buffer | undefined> {
    const signedIn = await this.authority.signedIn(rp, authorization);
    const credential = await this.authority.credentialOf(rp, signedIn);
    return user && credential?.userId.equals(user.id) ? credential.credentialHash : undefined;
  }
}
