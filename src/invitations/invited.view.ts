import { eachInTurn, type Reader } from '../platform/common/turns/read-turns.js';
import { spreadsheetOf } from '../platform/pages/csv.js';
import type { Language } from '../platform/pages/languages/languages.js';
import { phrase, type Phrase } from '../platform/pages/languages/phrase.js';
import { invitationCsv, type InvitationOutcome } from './invitation-file.js';

interface InvitedVisit {
  readonly reader: Reader;
  readonly language: Language;
  /** The page with the form. */
  readonly back: string;
}

/** Invites the users, and returns the page that shows the outcomes once, with the file of the links. */
export async function invitedPage(
  inviting: AsyncGenerator<InvitationOutcome>,
  { reader, language, back }: InvitedVisit,
) {
  const outcomes: InvitationOutcome[] = [];
  for await (const outcome of eachInTurn(reader, inviting)) outcomes.push(outcome);
  const made = outcomes.filter(({ issued }) => issued).length;
  const without = outcomes.filter(({ invitee, issued }) => invitee && !issued).length;
  return {
    title: phrase('users:invited.title'),
    texts: 'users',
    nav: { users: true },
    styles: ['/static/css/users.css'],
    summary: summaryOf(outcomes.length, made),
    hasLinks: made > 0,
    without,
    rows: outcomes.map(rowOf),
    /** A `data:` URL: the links are stored nowhere. */
    file: await dataUrlOf(outcomes, language),
    back,
  };
}

function rowOf({ invitee, issued, refusal, warning }: InvitationOutcome) {
  const result = {
    expiresAt: issued && new Date(issued.expiresAt).toISOString(),
    why: refusal?.problem,
    warning,
  };
  if (!invitee) return result;
  const { username: name, displayName, relyingParty } = invitee;
  const { domain } = relyingParty;
  const address = `/userapi/user?${new URLSearchParams({ name, rp: domain })}`;
  const shown = { name, displayName: displayName === name ? undefined : displayName };
  return { ...result, ...shown, domain, address };
}

function summaryOf(all: number, made: number): Phrase {
  if (made > 0) return phrase('users:invited.made', { count: made });
  return phrase(all > 0 ? 'users:invited.none' : 'users:invited.noUser');
}

async function dataUrlOf(
  outcomes: readonly InvitationOutcome[],
  language: Language,
): Promise<string> {
  let csv = '';
  for await (const line of invitationCsv(outcomes, spreadsheetOf(language))) csv += line;
  return `data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`;
}
