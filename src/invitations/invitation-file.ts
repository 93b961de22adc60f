import { Injectable } from '@nestjs/common';
import type { Account } from '../platform/access/accounts/account.js';
import { AuditLog } from '../audit/audit-log.js';
import type { UserRows } from '../audit/audit-trail.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { Code } from '../platform/errors/catalogue.js';
import { problem, sentenceOf, type Problem } from '../platform/errors/reasons.js';
import {
  cellsOf,
  csvHeading,
  csvRows,
  type CsvColumns,
  type CsvDialect,
} from '../platform/pages/csv.js';
import { faultText } from '../platform/pages/languages/language.helpers.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import {
  displayNameProblem,
  isDisplayName,
  isName,
  nameProblem,
} from '../platform/validation/values/names.js';
import { InvitationIssue } from './invitation-issue.js';
import { Invitations } from './invitations.js';

/** The maximum number of users in a file: their links are shown only once, which limits the loss if a file is lost. */
const MAX_INVITED = 500;

interface Invitee {
  readonly username: string;
  readonly displayName: string;
  readonly relyingParty: RelyingParty;
  /** The display name that the user gets with the invitation. */
  readonly newDisplayName?: string;
}

interface InvitationWish {
  /** The lifetime of each invitation in seconds. */
  readonly ttl: number;
  /** Whether users who have an open invitation get another one. */
  readonly again: boolean;
  readonly issuer: Account;
  readonly origin: string;
}

/** The link of a user, or the reason why there is none. */
export interface InvitationOutcome {
  /** Absent in the last outcome if there are more users than links. */
  readonly invitee?: Invitee;
  readonly issued?: { readonly link: string; readonly expiresAt: number };
  readonly refusal?: { readonly problem: Problem; readonly code?: Code | null };
}

const IS_INVITED = { problem: problem('invitation.isOpen') };
const ARE_MORE: InvitationOutcome = {
  refusal: { problem: problem('invitation.more', { most: MAX_INVITED }) },
};

/** Invites several users, whose links go into a file. */
@Injectable()
export class InvitationFile {
  constructor(
    private readonly invitations: Invitations,
    private readonly issuing: InvitationIssue,
    private readonly trail: AuditLog,
  ) {}

  /**
   * Issues up to `MAX_INVITED` invitations, and yields the outcome of each user once it is stored, with its own row
   * in the audit trail. A last outcome without a user means that there are more users.
   */
  async *invite(
    users: AsyncIterable<Invitee> | Iterable<Invitee>,
    wish: InvitationWish,
    rows: UserRows,
  ): AsyncGenerator<InvitationOutcome> {
    let left = MAX_INVITED;
    for await (const invitee of users) {
      const fault = faultIn(invitee);
      if (fault) {
        yield { invitee, refusal: { problem: fault } };
        continue;
      }
      const { relyingParty, username } = invitee;
      const open = wish.again ? [] : await this.invitations.open(relyingParty, username);
      if (open.length > 0) {
        yield { invitee, refusal: IS_INVITED };
        continue;
      }
      if (left === 0) {
        yield ARE_MORE;
        return;
      }
      left -= 1;
      yield { invitee, ...(await this.inviteOne(invitee, wish, rows)) };
    }
  }

  private async inviteOne(
    { username, newDisplayName, relyingParty }: Invitee,
    { ttl, issuer, origin }: InvitationWish,
    rows: UserRows,
  ): Promise<Omit<InvitationOutcome, 'invitee'>> {
    const asked = {
      username,
      ttl,
      minKeys: 1,
      issuer,
      origin,
      linking: 'none' as const,
      ...(newDisplayName !== undefined && { displayName: newDisplayName }),
    };
    try {
      const { url, invitation, detail } = await this.issuing.issue(relyingParty, asked);
      const { tenant, domain } = relyingParty;
      const user = { tenant, relyingParty: domain, target: invitation.username };
      await this.trail.append(rows.of({ action: 'invitation.issue', ...user, detail }));
      return { issued: { link: url, expiresAt: invitation.expiresAt } };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { refusal: error };
    }
  }
}

/** What is wrong with the names of somebody who may not be a user yet. */
function faultIn({ username, newDisplayName }: Invitee): Problem | undefined {
  if (!isName(username)) return nameProblem('username');
  const fits = newDisplayName === undefined || isDisplayName(newDisplayName);
  return fits ? undefined : displayNameProblem('displayName');
}

/** For a spreadsheet, the reason is in its language, and the code follows. */
function reasonText({ refusal }: InvitationOutcome, dialect?: CsvDialect): string {
  if (!refusal) return '';
  const { problem: why, code } = refusal;
  if (dialect?.language === undefined) return `${code ?? ''} ${sentenceOf(why)}`.trim();
  const sentence = faultText(dialect.language, why);
  return code ? `${sentence} (${code})` : sentence;
}

const columnsOf = (dialect?: CsvDialect): CsvColumns<InvitationOutcome> => ({
  username: ({ invitee }) => invitee?.username ?? '',
  displayName: ({ invitee }) => invitee?.displayName ?? '',
  relyingParty: ({ invitee }) => invitee?.relyingParty.domain ?? '',
  link: ({ issued }) => issued?.link ?? '',
  expires: ({ issued }) => (issued ? new Date(issued.expiresAt).toISOString() : ''),
  problem: (outcome) => reasonText(outcome, dialect),
});

/** Writes each outcome as a line of CSV: the link, or the reason in the column `problem`. */
export async function* invitationCsv(
  outcomes: AsyncIterable<InvitationOutcome> | Iterable<InvitationOutcome>,
  dialect?: CsvDialect,
): AsyncGenerator<string> {
  const columns = columnsOf(dialect);
  yield csvHeading(Object.keys(columns), dialect);
  for await (const outcome of outcomes) yield csvRows([cellsOf(columns, outcome)], dialect);
}
