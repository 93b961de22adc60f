import { Injectable } from '@nestjs/common';
import type { KnownUser } from '../../credentials/credential-reader.js';
import { isCode } from '../../invitations/code.js';
import { InvitationPermits } from '../../invitations/invitation-permits.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { Authority } from '../authority.js';

interface Applicant {
  readonly username: string;
  readonly user: KnownUser | undefined;
  readonly ticket: string | undefined;
  readonly authorization: string | undefined;
  readonly vouched: boolean;
}

/** Registrations that begin with an invitation, whoever else may register. */
@Injectable()
export class InvitedRegistration {
  constructor(
    private readonly permits: InvitationPermits,
    private readonly authority: Authority,
  ) {}

  /**
   * Whoever brings a code is held to it, also where anybody may register: what became of the invitation
   * is what its page tells.
   *
   * @returns `undefined` where the applicant brings none
   * @throws ApiError E0043R where the invitation permits nothing
   */
  async begin(rp: RelyingParty, applicant: Applicant) {
    const { username, ticket, user, authorization, vouched } = applicant;
    if (ticket === undefined || !isCode(ticket)) return undefined;
    const { permit, displayName, ...found } = await this.permits.begin(rp, {
      username,
      code: ticket,
      vouched,
      signedInWith: () => this.signedInWith(rp, user, authorization),
    });
    // What the user is called already counts before what the page of an invitation could say.
    const called = displayName ?? user?.displayName ?? found.username;
    return { permit, username: found.username, displayName: called };
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
