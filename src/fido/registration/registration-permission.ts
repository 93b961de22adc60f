import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { serverOptions } from '../../platform/config/server-config.js';
import {
  REGISTRATION_MODES,
  type RegistrationMode,
  type ServerOptions,
} from '../../platform/config/server-options.js';
import type { KnownUser } from '../../users/credentials/credential-reader.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { SignInTokens } from '../sign-in-tokens.js';
import type { PendingSubject, Permit } from '../ceremonies/ceremony.js';
import { isCode } from '../../invitations/code.js';
import { InvitationPermits } from '../../invitations/invitation-permits.js';
import { TicketService } from '../tickets/ticket.service.js';
import { UserIds } from '../user-ids.js';
import { enforced } from '../../tenancy/policy/policy.js';

const stricter = (one: RegistrationMode, other: RegistrationMode): RegistrationMode =>
  REGISTRATION_MODES.indexOf(one) < REGISTRATION_MODES.indexOf(other) ? other : one;

/** The mode in force: the stricter of the server's option and the relying party's enforced rule. */
export const demandedMode = (
  { policy }: RelyingParty,
  { registration }: Pick<ServerOptions, 'registration'>,
): RegistrationMode => stricter(registration, enforced(policy.registration) ?? 'open');

interface Applicant {
  readonly username: string;
  readonly user: KnownUser | undefined;
  /** The request's header `Authorization`, which may contain the token of a sign-in. */
  readonly authorization: string | undefined;
  readonly ticket: string | undefined;
  /** The caller has an application key: its backend has signed the user in. */
  readonly vouched: boolean;
  /** The application's own ID of the user. */
  readonly userId: string | undefined;
  /** A registration without a prompt: the caller must prove the user's identity, whatever the rule. */
  readonly promptless: boolean;
}

export interface ApplicantPermission {
  /** False if the applicant breaks the relying party's rule in mode `report`. */
  readonly keepsReported: boolean;
  readonly permit: Permit | null;
  /** The user name as spelled in the ticket or the invitation, else `null`. */
  readonly username: string | null;
  /** The display name in the ticket or the invitation, else `null`. */
  readonly displayName: string | null;
  /** Whether the invitation requires user verification. */
  readonly verifiesUser?: boolean;
  readonly subject: PendingSubject;
}

type Grant = Pick<ApplicantPermission, 'permit' | 'username' | 'displayName'>;

const grant = (permit: Permit | null): Grant => ({ permit, username: null, displayName: null });

/** Decides who may begin a registration, by the stricter of the server's and the relying party's rule. */
@Injectable()
export class RegistrationPermission {
  constructor(
    private readonly authority: SignInTokens,
    private readonly tickets: TicketService,
    private readonly userIds: UserIds,
    private readonly invitations: InvitationPermits,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /** @throws ApiError E0043R, E0001R as `UserIds.check` */
  async check(rp: RelyingParty, applicant: Applicant): Promise<ApplicantPermission> {
    const subject = await this.userIds.check(rp, applicant.user, applicant);
    const invited = await this.byInvitation(rp, applicant);
    if (invited) return { keepsReported: true, subject, ...invited };
    if (applicant.vouched) return { keepsReported: true, subject, ...grant(null) };
    const rule = rp.policy.registration;
    const demanded = demandedMode(rp, this.options);
    const found = await this.demand(demanded, rp, applicant);
    const isReported = rule?.mode === 'report' && stricter(demanded, rule.value) !== demanded;
    const keepsReported = !isReported || (await this.keeps(rule.value, rp, applicant));
    return { keepsReported, subject, ...found };
  }

  private async keeps(mode: RegistrationMode, rp: RelyingParty, applicant: Applicant) {
    try {
      await this.demand(mode, rp, applicant);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'E0043R') return false;
      throw error;
    }
  }

  private async demand(
    mode: RegistrationMode,
    rp: RelyingParty,
    applicant: Applicant,
  ): Promise<Grant> {
    if (applicant.promptless) {
      if (mode === 'ticket') throw new ApiError('E0043R', 'registration.needsApplication');
      return grant(await this.checkToken(rp, applicant));
    }
    if (mode === 'open') return grant(null);
    const { user, username } = applicant;
    if (mode === 'first-only' && !(await this.userIds.isTaken(rp, user, username))) {
      return grant({ first: true });
    }
    const byTicket = await this.byTicket(rp, applicant);
    if (byTicket) return byTicket;
    if (mode === 'first-only') return grant(await this.checkToken(rp, applicant));
    throw new ApiError('E0043R', 'registration.needsTicket');
  }

  /**
   * Permission by an invitation. An applicant with its code must meet its terms, even if anyone may register:
   * otherwise the invitation's page would not show what became of it.
   *
   * @returns `undefined` if the applicant has no code
   * @throws ApiError E0043R if the invitation permits nothing
   */
  private async byInvitation(
    rp: RelyingParty,
    { username, ticket, user, authorization, vouched }: Applicant,
  ) {
    if (ticket === undefined || !isCode(ticket)) return undefined;
    const { permit, displayName, minKeys, ...found } = await this.invitations.begin(rp, {
      username,
      user,
      code: ticket,
      vouched,
      signedInWith: () => this.authority.keyOfUser(rp, user, authorization),
    });
    // The display name is the invitation's, else the user's current one: the page of an invitation has none.
    const called = displayName ?? user?.displayName ?? found.username;
    return { permit, username: found.username, displayName: called, verifiesUser: minKeys > 1 };
  }

  private async byTicket(
    rp: RelyingParty,
    { username, user, ticket }: Applicant,
  ): Promise<Grant | undefined> {
    if (ticket === undefined) return undefined;
    const begun = await this.tickets.begin(rp, { username, user, ticket });
    if (!begun) return undefined;
    const permit = { ticket: begun.ticketHash.toString('base64url') };
    return { permit, username: begun.username, displayName: begun.displayName };
  }

  /**
   * Checks the token of a sign-in. A user without an enabled key has no token and needs a ticket: otherwise a
   * stranger could take over the name.
   */
  private async checkToken(rp: RelyingParty, applicant: Applicant): Promise<Permit> {
    const { user, authorization, promptless } = applicant;
    const key = await this.authority.keyOfUser(rp, user, authorization);
    if (!key) {
      // Without a prompt every name needs a token, so the refusal must not reveal that this name exists.
      const lack = promptless ? 'registration.needsProof' : 'registration.needsToken';
      const why = await this.authority.problemOf(rp, authorization, lack);
      throw ApiError.of('E0043R', why);
    }
    return { signedInWith: key.toString('base64url') };
  }
}
