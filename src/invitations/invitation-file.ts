import { Injectable } from '@nestjs/common';
import { AuditLog } from '../audit/audit-log.js';
import type { AuditNote, UserRows } from '../audit/audit-trail.js';
import { ApiError } from '../platform/errors/api-error.js';
import { csvHeading, csvRows, type CsvDialect } from '../platform/pages/csv.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { InvitationIssue } from './invitation-issue.js';
import { Invitations } from './invitations.service.js';

/** The maximum number of users in a file: their links are shown only once, which limits the loss if a file is lost. */
const MOST_INVITED = 500;

const IS_INVITED = 'The user has an open invitation: no other one was issued.';
const ARE_MORE = `More users are to be invited, and a file has at most ${MOST_INVITED} links: send the form again.`;

interface Invitee {
  readonly username: string;
  readonly displayName: string;
  readonly relyingParty: RelyingParty;
}

export interface InvitationWish {
  /** The lifetime of each invitation in seconds. */
  readonly ttl: number;
  /** Whether users who have an open invitation get another one. */
  readonly again: boolean;
  readonly issuedBy: string;
  readonly origin: string;
  /** How the file is written; for programs, when absent. */
  readonly dialect?: CsvDialect;
}

const COLUMNS = ['username', 'displayName', 'relyingParty', 'link', 'expires', 'problem'];

/** Invites several users through a file with their links. */
@Injectable()
export class InvitationFile {
  constructor(
    private readonly invitations: Invitations,
    private readonly issuing: InvitationIssue,
    private readonly trail: AuditLog,
  ) {}

  /**
   * Issues up to `MOST_INVITED` invitations, and writes each link as a line of CSV once it is stored. A line
   * without a link contains the reason, and a last line without a user means that there are more users.
   */
  async *csv(
    users: AsyncIterable<Invitee> | Iterable<Invitee>,
    wish: InvitationWish,
    rows: UserRows,
  ): AsyncGenerator<string> {
    const { dialect } = wish;
    yield csvHeading(COLUMNS, dialect);
    let left = MOST_INVITED;
    for await (const user of users) {
      const { username, displayName, relyingParty } = user;
      const who = [username, displayName, relyingParty.domain];
      if (!wish.again && (await this.isInvited(user))) {
        yield csvRows([[...who, '', '', IS_INVITED]], dialect);
        continue;
      }
      if (left === 0) {
        yield csvRows([['', '', '', '', '', ARE_MORE]], dialect);
        return;
      }
      left -= 1;
      yield csvRows([[...who, ...(await this.invite(user, wish, rows))]], dialect);
    }
  }

  private async isInvited({ relyingParty, username }: Invitee): Promise<boolean> {
    return (await this.invitations.open(relyingParty, username)).length > 0;
  }

  /** @returns the link, when it expires, and the obstacle if there is no link */
  private async invite(
    { username, relyingParty }: Invitee,
    { ttl, issuedBy, origin }: InvitationWish,
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
