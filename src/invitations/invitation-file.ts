import { Injectable } from '@nestjs/common';
import type { Account } from '../platform/access/accounts/account.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { AuditEntry } from '../audit/audit-entry.js';
import type { AuditFacts } from '../audit/request-rows.js';
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
import { nameKey } from '../tenancy/usernames/name-key.js';
import {
  displayNameProblem,
  isDisplayName,
  isName,
  nameProblem,
} from '../platform/validation/values/names.js';
import { OVERTAKEN, untilStored } from '../platform/database/commit/until-stored.js';
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

interface InvitationTerms {
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
  /** Why the link does not work yet. */
  readonly warning?: Problem | undefined;
  readonly refusal?: { readonly problem: Problem; readonly code?: Code | null };
}

const IS_INVITED = { problem: problem('invitation.isOpen') };
const ARE_MORE: InvitationOutcome = {
  refusal: { problem: problem('invitation.more', { most: MAX_INVITED }) },
};

/** A user who gets a link, with what stores the invitation. */
type PreparedInvitation = Awaited<ReturnType<InvitationIssue['prepare']>> & {
  readonly invitee: Invitee;
};

/** Invites several users, whose links go into a file. */
@Injectable()
export class InvitationFile {
  constructor(
    private readonly invitations: Invitations,
    private readonly issuing: InvitationIssue,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * Issues up to `MAX_INVITED` invitations, and yields the outcome of each user: refusals while the users are read, then
   * the links. All invitations are stored in one unit with their audit rows: a process that ends before leaves no link
   * that nobody has seen. A last outcome without a user means that there are more users.
   *
   * @param row creates the audit row of an invitation
   * @throws ApiError E0052R if concurrent changes of users were faster each time; no invitation is stored then
   */
  async *invite(
    users: AsyncIterable<Invitee> | Iterable<Invitee>,
    terms: InvitationTerms,
    row: (facts: AuditFacts) => AuditEntry,
  ): AsyncGenerator<InvitationOutcome> {
    const prepared: PreparedInvitation[] = [];
    let left = MAX_INVITED;
    let isMore = false;
    for await (const invitee of users) {
      const fault = faultIn(invitee);
      if (fault) {
        yield { invitee, refusal: { problem: fault } };
        continue;
      }
      if (!terms.again && (await this.isInvited(invitee, prepared))) {
        yield { invitee, refusal: IS_INVITED };
        continue;
      }
      isMore = left === 0;
      if (isMore) break;
      left -= 1;
      const outcome = await this.prepare(invitee, terms);
      if ('unit' in outcome) prepared.push(outcome);
      else yield outcome;
    }
    const { stored, refused } = await this.store(prepared, terms, row);
    yield* refused;
    for (const { invitee, url: link, invitation, warning } of stored) {
      yield { invitee, issued: { link, expiresAt: invitation.expiresAt }, warning };
    }
    if (isMore) yield ARE_MORE;
  }

  /** Whether a user has an open invitation, or gets one by an earlier line. */
  private async isInvited(
    { relyingParty: rp, username }: Invitee,
    prepared: readonly PreparedInvitation[],
  ): Promise<boolean> {
    const name = nameKey(rp, username);
    const isEarlier = prepared.some(
      ({ invitee, invitation }) =>
        invitee.relyingParty.id.equals(rp.id) && nameKey(rp, invitation.username) === name,
    );
    return isEarlier || (await this.invitations.open(rp, username)).length > 0;
  }

  private async prepare(
    invitee: Invitee,
    { ttl, issuer, origin }: InvitationTerms,
  ): Promise<PreparedInvitation | InvitationOutcome> {
    const { username, newDisplayName, relyingParty } = invitee;
    try {
      const prepared = await this.issuing.prepare(relyingParty, {
        username,
        ttl,
        minKeys: 1,
        issuer,
        origin,
        linking: 'none',
        ...(newDisplayName !== undefined && { displayName: newDisplayName }),
      });
      return { invitee, ...prepared };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { invitee, refusal: error };
    }
  }

  /** Stores all in one unit; if a user was changed since the invitations were prepared, prepares them again. */
  private async store(
    first: readonly PreparedInvitation[],
    terms: InvitationTerms,
    row: (facts: AuditFacts) => AuditEntry,
  ) {
    const refused: InvitationOutcome[] = [];
    let prepared = first;
    return untilStored('user.changing', async () => {
      if (prepared.length === 0) return { stored: prepared, refused };
      const rows = prepared.map(({ facts }) => row({ action: 'invitation.issue', ...facts }));
      const unit = prepared.flatMap((one) => one.unit);
      if (await this.trail.commit(rows, unit)) return { stored: prepared, refused };
      const again: PreparedInvitation[] = [];
      for (const { invitee } of prepared) {
        const outcome = await this.prepare(invitee, terms);
        if ('unit' in outcome) again.push(outcome);
        else refused.push(outcome);
      }
      prepared = again;
      return OVERTAKEN;
    });
  }
}

/** What is wrong with the names of somebody who may not be a user yet. */
function faultIn({ username, newDisplayName }: Invitee): Problem | undefined {
  if (!isName(username)) return nameProblem('username');
  const fits = newDisplayName === undefined || isDisplayName(newDisplayName);
  return fits ? undefined : displayNameProblem('displayName');
}

/** For a spreadsheet, the reason is in its language, and the code follows. */
function reasonText({ refusal, warning }: InvitationOutcome, dialect?: CsvDialect): string {
  const reason = refusal ?? (warning && { problem: warning, code: null });
  if (!reason) return '';
  const { problem: why, code } = reason;
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

/** Writes each outcome as a line of CSV: the link, and why there is none or it does not work yet in the column `problem`. */
export async function* invitationCsv(
  outcomes: AsyncIterable<InvitationOutcome> | Iterable<InvitationOutcome>,
  dialect?: CsvDialect,
): AsyncGenerator<string> {
  const columns = columnsOf(dialect);
  yield csvHeading(Object.keys(columns), dialect);
  for await (const outcome of outcomes) yield csvRows([cellsOf(columns, outcome)], dialect);
}
