import { Inject, Injectable } from '@nestjs/common';
import type { AuditDetail } from '../audit/audit-entry.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import { Moves, type NameLinking } from '../users/moves/moves.js';
import { problem, type Problem } from '../platform/errors/reasons.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { originAllowed } from '../webauthn/origin.js';
import type { Invitation } from './invitation.entity.js';
import { Invitations, type InvitationRequest } from './invitations.js';

/** The maximum number of invitations in an audit row. */
const MAX_NAMED = 200;

interface IssueContext {
  /** The origin at which the request reached this server. */
  readonly origin: string;
  /** Whether this is the user with the same name at the old domain of a move. */
  readonly linking: NameLinking;
}

/** The detail of the audit row of an issued or revoked invitation. */
export const invitationDetail = ({ id, minKeys }: Invitation, isLinked = false): AuditDetail => ({
  invitation: id.toString('base64url'),
  keys: minKeys,
  ...(isLinked && { linked: true }),
});

/** Issues links for both programs and the help desk's page, and revokes all of a user. */
@Injectable()
export class InvitationIssue {
  constructor(
    private readonly invitations: Invitations,
    private readonly moves: Moves,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * Issues an invitation and returns its link, and the detail of its audit row.
   *
   * @throws ApiError E0045R if no page could register a key; E0046R for several keys without tokens; E0052R if
   *   the same user is changed at the same time
   */
  async issue(rp: RelyingParty, { origin, linking, ...wish }: InvitationRequest & IssueContext) {
    if (wish.minKeys > 1 && !this.options.jwt)
      throw new ApiError('E0046R', 'invitation.needsTokens');
    // Before the row is written: a code without a link is useless.
    const page = this.pageOf(rp, origin);
    if (page === undefined) throw new ApiError('E0045R', 'invitation.noPage');
    const moving = await this.moves.invitation(rp, wish.username, linking);
    const issued = await this.invitations.issue(rp, wish, moving);
    if (!issued) throw new ApiError('E0052R', 'user.changing');
    const { code, invitation } = issued;
    const isLinked = moving.movingId !== undefined;
    const detail = invitationDetail(invitation, isLinked);
    // Browsers do not send the fragment to servers.
    return { url: `${page}#${code}`, code, invitation, isLinked, detail };
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
   * begun. Skips an invitation that is used or expires in the meantime.
   *
   * @returns the revoked invitations, for the audit row
   */
  async revokeAll(rp: RelyingParty, username: string): Promise<AuditDetail> {
    const revoked = [];
    for (const { id } of await this.invitations.findActive(rp, username)) {
      const name = id.toString('base64url');
      if (await this.invitations.revoke(rp, name).catch(ignoreEndedInvitation)) revoked.push(name);
    }
    const further = revoked.length - MAX_NAMED;
    return {
      ...(revoked.length > 0 && { invitations: revoked.slice(0, MAX_NAMED).join(' ') }),
      ...(further > 0 && { further }),
    };
  }
}

/** Ignores the error of an invitation that has ended in the meantime. */
export function ignoreEndedInvitation(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'E0045R')) throw error;
}
