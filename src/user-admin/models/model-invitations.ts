import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../audit/audit-log.js';
import type { AuditNote, UserRows } from '../../audit/audit-trail.js';
import { InvitationIssue } from '../../invitations/invitation-issue.js';
import { Invitations } from '../../invitations/invitations.service.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { csvRows } from '../../platform/pages/csv.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ModelHolders } from '../../users/list/model-holders.js';
import type { FoundUser } from '../../users/user-rows.js';
import { aaguidBytes } from '../../webauthn/aaguid.js';

/** People who are invited by one file: their links are shown once, so a file that is lost is not too large. */
export const MOST_INVITED = 500;
const STEP = 200;

interface Wish {
  readonly aaguid: string;
  /** Life of each invitation in seconds. */
  readonly ttl: number;
  /** Whether people who have an open invitation get another one. */
  readonly again: boolean;
  readonly issuedBy: string;
  readonly origin: string;
}

/** Invites the users who had a key of a model and have no key left that can sign in. */
@Injectable()
export class ModelInvitations {
  constructor(
    private readonly holders: ModelHolders,
    private readonly invitations: Invitations,
    private readonly issuing: InvitationIssue,
    private readonly trail: AuditLog,
  ) {}

  /**
   * Issues invitations, and writes each link as a line of CSV once it is stored; at most `MOST_INVITED`. A line
   * without a link says what is in the way.
   */
  async *csv(rps: readonly RelyingParty[], wish: Wish, rows: UserRows): AsyncGenerator<string> {
    yield csvRows([['username', 'displayName', 'relyingParty', 'link', 'expires', 'problem']]);
    let left = MOST_INVITED;
    for (const rp of rps) {
      for await (const user of this.withoutKey(rp, wish)) {
        if (left === 0) return;
        left -= 1;
        const line = await this.invite(user, wish, rows);
        yield csvRows([[user.username, user.displayName, rp.domain, ...line]]);
      }
    }
  }

  private async *withoutKey(rp: RelyingParty, { aaguid, again }: Wish): AsyncGenerator<FoundUser> {
    let behind: Buffer | undefined = Buffer.alloc(0);
    while (behind) {
      const step = await this.holders.step(rp, aaguidBytes(aaguid), behind, STEP);
      for (const user of step.users) {
        if (user.credentials.some(({ enabled }) => enabled)) continue;
        const isInvited = !again && (await this.invitations.open(rp, user.username)).length > 0;
        if (!isInvited) yield user;
      }
      behind = step.next;
    }
  }

  private async invite(
    { username, relyingParty }: FoundUser,
    { ttl, issuedBy, origin }: Wish,
    rows: UserRows,
  ): Promise<readonly [link: string, expires: string, problem: string]> {
    const note: AuditNote = { action: 'invitation.issue' };
    const asked = { username, ttl, minKeys: 1, issuedBy, note, origin, link: false };
    try {
      const { url, invitation } = await this.issuing.issue(relyingParty, asked);
      await this.trail.append(rows.of({ ...note }));
      return [url, new Date(invitation.expiresAt).toISOString(), ''];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return ['', '', `${error.code ?? ''} ${error.message}`.trim()];
    }
  }
}
