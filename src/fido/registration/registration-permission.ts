import { Inject, Injectable } from '@nestjs/common';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { stricterMode, type RegistrationMode } from '../../platform/config/registration-modes.js';
import type { KeyOrigin } from '../../users/credentials/credential.entity.js';
import type { KnownUser } from '../../users/credentials/credential-reader.js';
import { MoveSteps } from '../../users/moves/move-steps.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { SignInTokens } from '../sign-in-tokens.js';
import {
  assignsUserId,
  ownUserId,
  type PredecessorUser,
  type PendingUserId,
  type Permit,
} from '../ceremonies/ceremony.js';
import type { BeginCaller } from '../ceremonies/caller-session.js';
import { isCode } from '../../invitations/invitations.js';
import { InvitationPermits } from '../../invitations/invitation-permits.js';
import { TicketService, ticketNotValid } from '../tickets/ticket.service.js';
import { MovingUsers } from '../moving-users.js';
import { UserIds } from '../user-ids.js';
import { enforcedValue } from '../../tenancy/policy/policy.js';
import type { BeginRegistrationDto } from './registration.dto.js';

/** The mode in force: the stricter of the server's option and the relying party's enforced rule. */
export const demandedMode = (
  { policy }: RelyingParty,
  { registration }: Pick<ServerOptions, 'registration'>,
): RegistrationMode => stricterMode(registration, enforcedValue(policy.registration) ?? 'open');

export interface RegistrationCaller extends BeginCaller {
  /** Set for a user of the predecessor, whose key has just vouched for the user. */
  readonly moved?: { readonly permit: Permit; readonly pendingUserId: PendingUserId };
}

interface Applicant {
  readonly dto: BeginRegistrationDto;
  readonly user: KnownUser | undefined;
  readonly caller: RegistrationCaller;
}

interface Grant {
  readonly permit: Permit | null;
  /** `undefined` for a ticket that an earlier version issued. */
  readonly origin: KeyOrigin | undefined;
  /** The user name as spelled in the ticket or the invitation. */
  readonly username?: string;
  /** The display name in the ticket or the invitation. */
  readonly displayName?: string | null;
  /** Whether the invitation requires user verification. */
  readonly verifiesUser?: boolean;
  /** Whether a new user of a predecessor may be linked to a user of the successor. */
  readonly mayLink?: boolean;
  /** Counts the begin call of a ticket or an invitation. Called last: a refused call must not wear it out. */
  readonly count?: () => Promise<void>;
}

export interface ApplicantPermission extends Grant {
  /** Whether the applicant breaks the relying party's rule in mode `report`. */
  readonly breaksReported: boolean;
  readonly pendingUserId: PendingUserId;
  /** The user of the predecessor whom the registration creates here. */
  readonly movesFrom?: PredecessorUser | undefined;
}

/** Decides who may begin a registration, by the stricter of the server's and the relying party's rule. */
@Injectable()
export class RegistrationPermission {
  constructor(
    private readonly tokens: SignInTokens,
    private readonly tickets: TicketService,
    private readonly userIds: UserIds,
    private readonly moving: MovingUsers,
    private readonly moveSteps: MoveSteps,
    private readonly invitations: InvitationPermits,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /** @throws ApiError E0042R for a token that is needed and not valid here, E0043R, E0001R as `UserIds.check` */
  async check(rp: RelyingParty, applicant: Applicant): Promise<ApplicantPermission> {
    const permission = await this.permissionOf(rp, applicant);
    const { user, dto, caller } = applicant;
    if (user) return permission;
    const { permit, username = dto.username, pendingUserId } = permission;
    if (caller.moved) {
      return { ...permission, movesFrom: await this.moving.movesFrom(rp, username) };
    }
    // Not before: a caller without permission must not learn which names the predecessor has.
    const movesFrom = await this.moving.ensureNotExpected(rp, username, permit);
    if (assignsUserId(pendingUserId)) await this.userIds.ensureNotExpected(rp, pendingUserId);
    return { ...permission, movesFrom };
  }

  private async permissionOf(rp: RelyingParty, applicant: Applicant): Promise<ApplicantPermission> {
    const { dto, user, caller } = applicant;
    const { moved } = caller;
    if (moved) {
      const { permit, pendingUserId } = moved;
      const its = user?.subject === undefined ? pendingUserId : ownUserId(user);
      return { breaksReported: false, permit, origin: 'upgrade', pendingUserId: its };
    }
    const vouched = caller.key !== undefined;
    const { userId } = dto;
    const pendingUserId =
      userId === undefined
        ? ownUserId(user)
        : await this.userIds.check(rp, user, { userId, key: caller.key });
    const invited = await this.byInvitation(rp, applicant);
    if (invited) return { breaksReported: false, pendingUserId, ...invited };
    if (vouched) {
      const mayLink = this.moveSteps.mayLink(rp, caller.key);
      const origin = 'application';
      return { breaksReported: false, pendingUserId, permit: null, origin, mayLink };
    }
    const rule = rp.policy.registration;
    const demanded = demandedMode(rp, this.options);
    const found = await this.grantFor(demanded, rp, applicant);
    const isReported = rule?.mode === 'report' && stricterMode(demanded, rule.value) !== demanded;
    const breaksReported = isReported && (await this.breaks(rule.value, rp, applicant));
    return { breaksReported, pendingUserId, ...found };
  }

  /** Whether a mode would refuse the applicant. It only reads: the call counts for the grant of the mode in force. */
  private async breaks(mode: RegistrationMode, rp: RelyingParty, applicant: Applicant) {
    try {
      await this.grantFor(mode, rp, applicant);
      return false;
    } catch (error) {
      if (error instanceof ApiError && (error.code === 'E0043R' || error.code === 'E0042R'))
        return true;
      throw error;
    }
  }

  private async grantFor(
    mode: RegistrationMode,
    rp: RelyingParty,
    applicant: Applicant,
  ): Promise<Grant> {
    const { dto, user } = applicant;
    // Without a prompt the caller must prove the user's identity, whatever the rule.
    if (isPromptless(dto)) {
      if (mode === 'ticket') throw new ApiError('E0043R', 'registration.needsApplication');
      return this.byToken(rp, applicant);
    }
    if (mode === 'open') return { permit: null, origin: 'user' };
    if (mode === 'first-only' && !user && !(await this.moving.isExpected(rp, dto.username))) {
      return { permit: { first: true }, origin: 'user' };
    }
    const found = await this.checkTicket(rp, applicant);
    if (found?.ticketHash) {
      const permit = { ticket: found.ticketHash.toString('base64url') };
      const { username, displayName, mayLink, origin, count } = found;
      return { permit, origin, username, displayName, mayLink, count };
    }
    if (mode === 'first-only') return this.byToken(rp, applicant);
    if (!found) throw new ApiError('E0043R', 'registration.needsTicket');
    throw ticketNotValid(found.lack);
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
    { dto, user, caller }: Applicant,
  ): Promise<Grant | undefined> {
    const { username, ticket } = dto;
    if (ticket === undefined || !isCode(ticket)) return undefined;
    const { permit, displayName, minKeys, mayLink, ...found } = await this.invitations.check(rp, {
      username,
      user,
      code: ticket,
      vouched: caller.key !== undefined,
      signedInWith: () => this.tokens.keyOfUser(rp, user, caller.authorization),
    });
    // The display name is the invitation's, else the user's current one: the page of an invitation has none.
    const called = displayName ?? user?.displayName ?? found.username;
    const verifiesUser = minKeys > 1;
    const { username: spelled, count } = found;
    const names = { username: spelled, displayName: called };
    return { permit, origin: 'invitation', ...names, verifiesUser, mayLink, count };
  }

  /** @returns `undefined` if the applicant has no ticket */
  private async checkTicket(rp: RelyingParty, { dto, user }: Applicant) {
    const { username, ticket } = dto;
    return ticket === undefined ? undefined : this.tickets.check(rp, { username, user, ticket });
  }

  /**
   * Permission by the token of a sign-in. A user without an enabled key has no token and needs a ticket: otherwise a
   * stranger could take over the name.
   */
  private async byToken(rp: RelyingParty, { dto, user, caller }: Applicant): Promise<Grant> {
    const { authorization } = caller;
    const key = await this.tokens.keyOfUser(rp, user, authorization);
    if (!key) {
      // Without a prompt every name needs a token, so the refusal must not reveal that this name exists.
      const lack = isPromptless(dto) ? 'registration.needsProof' : 'registration.needsToken';
      const why = await this.tokens.problemOf(rp, authorization, lack);
      throw ApiError.of('E0043R', why);
    }
    return { permit: { signedInWith: key.toString('base64url') }, origin: 'user' };
  }
}

/** Whether the registration is without a prompt, and so does not test user presence. */
export const isPromptless = ({ mediation }: BeginRegistrationDto): boolean =>
  mediation === 'conditional';
