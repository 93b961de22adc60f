import { Inject, Injectable } from '@nestjs/common';
import type { AuditDetail } from '../audit/audit-entry.js';
import type { ChangingCall } from '../audit/audited.js';
import { atRelyingParty } from '../audit/request-rows.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import { Moves, type NameLinking } from '../users/moves/moves.js';
import { problem, type Problem } from '../platform/errors/reasons.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { originAllowed } from '../webauthn/origin.js';
import type { Invitation } from './invitation.entity.js';
import { Invitations, invitationFacts, type InvitationRequest } from './invitations.js';

/** The maximum number of invitations in an audit row. */
const MAX_NAMED = 200;

interface IssueContext {
  /** The origin at which the request reached this server. */
  readonly origin: string;
  /** Whether this is the user with the same name at the predecessor. */
  readonly linking: NameLinking;
}

/** Issues links for both programs and the help desk's page, and revokes all of a user. */
@Injectable()
export class InvitationIssue {
  constructor(
    private readonly invitations: Invitations,
    private readonly moves: Moves,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * Issues an invitation and returns its link.
   *
   * @throws ApiError as `prepare`; E0052R if the same user is changed at the same time
   */
  async issue(
    { commit }: ChangingCall,
    rp: RelyingParty,
    request: InvitationRequest & IssueContext,
  ) {
    const { unit, facts, ...issued } = await this.prepare(rp, request);
    if (!(await commit(unit, facts))) throw new ApiError('E0052R', 'user.changing');
    return issued;
  }

  /**
   * Creates an invitation with its link, the unit that stores it, and the facts of its audit row. `warning` says why the
   * link does not work yet.
   *
   * @throws ApiError E0045R if no page could register a key; E0046R for several keys without tokens
   */
  async prepare(rp: RelyingParty, { origin, linking, ...wish }: InvitationRequest & IssueContext) {
    if (wish.minKeys > 1 && !this.options.jwt)
      throw new ApiError('E0046R', 'invitation.needsTokens');
    // Before the row is written: a code without a link is useless.
    const page = this.pageOf(rp, origin);
    if (page === undefined) throw new ApiError('E0045R', 'invitation.noPage');
    const moving = await this.moves.linkByName(rp, wish.username, linking);
    const { isSuspended, ...created } = await this.invitations.create(rp, wish, moving);
    const { code, invitation, unit } = created;
    const isLinked = moving.movingId !== undefined;
    const facts = invitationFacts(rp, invitation, isLinked);
    // Browsers do not send the fragment to servers.
    const warning = isSuspended || moving.isSuspended ? problem('permit.suspended') : undefined;
    return { url: `${page}#${code}`, code, invitation, isLinked, warning, unit, facts };
  }

  /** Whether one invitation may request several keys: the later ones need a token. */
  get allowsSeveral(): boolean {
    return this.options.jwt;
  }

  /** The reason why no invitation can be issued here, if any; `origin` as for `issue`. */
  obstacle(rp: RelyingParty, origin: string): Problem | undefined {
    return this.pageOf(rp, origin) === undefined ? problem('invitation.noPage') : undefined;
  }

  /**
   * The page to which links lead: the relying party's own, else one of this server, at the origin of the request or,
   * if that is not allowed, at the issuer's; `undefined` if no page could register a key.
   */
  private pageOf(
    { enrolmentUrl, origins, domain }: RelyingParty,
    origin: string,
  ): string | undefined {
    if (enrolmentUrl !== null && originAllowed(new URL(enrolmentUrl).origin, origins)) {
      return enrolmentUrl;
    }
    const { issuer } = this.options;
    const own = [origin, ...(issuer === undefined ? [] : [new URL(issuer).origin])];
    const found = own.find((one) => originAllowed(one, origins));
    return found && `${found}/enrol?relyingParty=${encodeURIComponent(domain)}`;
  }

  /**
   * Revokes all invitations of a name, including those that permit no further registration, because one may have
   * begun. Skips an invitation that is used in the meantime.
   */
  async revokeAll({ commit }: ChangingCall, rp: RelyingParty, username: string): Promise<void> {
    for (;;) {
      const active = await this.invitations.findActive(rp, username);
      const unit = active.map((one) => this.invitations.revocation(rp, one));
      const detail = revokedDetail(active);
      if (await commit(unit, { ...atRelyingParty(rp), target: username, detail })) return;
    }
  }
}

function revokedDetail(revoked: readonly Invitation[]): AuditDetail {
  const ids = revoked.slice(0, MAX_NAMED).map(({ id }) => id.toString('base64url'));
  const further = revoked.length - MAX_NAMED;
  return {
    ...(ids.length > 0 && { invitations: ids.join(' ') }),
    ...(further > 0 && { further }),
  };
}

/** Ignores the error of an invitation that has ended in the meantime. */
export function ignoreEndedInvitation(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'E0045R')) throw error;
}
