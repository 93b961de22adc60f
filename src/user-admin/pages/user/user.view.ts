import type { HeldName, FormerNameOwner } from '../../../users/earlier-names/earlier-names.js';
import type { KeptDeletion } from '../../../users/deletions/deletion-steps.js';
import type { ModelNames } from '../../../users/credentials/key-label.js';
import type { FoundUser } from '../../../users/user-rows.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import type { Problem } from '../../../platform/errors/reasons.js';
import type { Account } from '../../../platform/access/accounts/account.js';
import type { InvitationEntry, OpenInvitations } from '../invitation.view.js';
import { queryOf, userAddress } from '../addresses.js';
import { deletionNotice } from '../deletion.view.js';
import { rightsOf } from '../users/rights.js';
import type { KeyCard } from './key-card.view.js';
import { supportSummary } from './support-summary.js';
import type { Entry } from './timeline.view.js';

/** Whether an invitation can be issued, which its button says before it is pressed. */
export interface InviteView {
  readonly obstacle: Problem | undefined;
  /** The page on which the account can remove the obstacle. */
  readonly mend: string | undefined;
  /** Whether it may ask for several keys. */
  readonly several: boolean;
}

interface Person {
  readonly invite: InviteView;
  readonly name: string;
  readonly domain: string;
  readonly account: Account;
  /** The users of this name, here and at the former domain; empty where nobody has it. */
  readonly users: readonly FoundUser[];
  /** The former domain, where only the same name leads to a user there. */
  readonly unlinked: string | undefined;
  /** The domain to which people move from this one. */
  readonly successor: string | undefined;
  /** What the person was called before. */
  readonly earlier: readonly HeldName[];
  /** People who had this name before and have another one now. */
  readonly renamed: readonly FormerNameOwner[];
  /** Where nobody has this name: user names that equal it but for their case. */
  readonly alike: readonly string[];
  readonly cards: readonly KeyCard[];
  /** Deletions that can be taken back. */
  readonly deletions: readonly KeptDeletion[];
  readonly models: ModelNames;
  readonly invitations: readonly InvitationEntry[];
  /** The open invitations, among these and older ones. */
  readonly open: OpenInvitations | undefined;
  readonly entries: readonly Entry[];
  /** Cursor at which older entries begin. */
  readonly older: string | undefined;
  /** Cursor at which the shown entries begin, unless they are the newest. */
  readonly cursor: string | undefined;
}

/** The page of one person. */
export function userPage(person: Person) {
  const { name, domain, account, users, cards, entries, older, cursor, successor } = person;
  const [user] = users;
  const known = user !== undefined;
  const enabled = cards.filter((card) => card.enabled).length;
  return {
    title: phrase('users:user.title', { name: user?.displayName ?? name }),
    texts: 'users',
    nav: { users: true },
    styles: ['/static/css/users.css'],
    name,
    domain,
    entries,
    /** Each says whether its key is the last one that can sign in. */
    cards: cards.map((card) => ({ ...card, last: card.enabled && enabled === 1 })),
    deletions: person.deletions.map((one) => deletionNotice(one, person)),
    invitations: person.invitations,
    invite: person.invite,
    open: person.open,
    known,
    displayName: user?.displayName === name ? undefined : user?.displayName,
    created: user && new Date(user.createdAt).toISOString(),
    /** Whether a key can still be disabled by a person: a finding may have disabled it already. */
    anyToDisable: cards.some(({ disabled }) => disabled === undefined),
    anyDisabled: enabled < cards.length,
    rights: rightsOf(account),
    older: older && `${userAddress(name, domain, { cursor: older })}#timeline`,
    newest: cursor && `${userAddress(name, domain)}#timeline`,
    /** Lines of plain text for a ticket. */
    summary: supportSummary({ name, domain, known, cards, entries }),
    trail: trailOf(name),
    /** The person's former domain: what is done here is done there too. */
    former: users.find(({ relyingParty }) => relyingParty.domain !== domain)?.relyingParty.domain,
    /** The former domain, if the invitation has to say whether it is for the same user. */
    unlinked: person.unlinked,
    successor: successor === undefined ? undefined : placeOf(name, successor),
    earlier: person.earlier.map(({ username, until = 0, relyingParty: rp }) => ({
      name: username,
      domain: rp.domain === domain ? undefined : rp.domain,
      until: new Date(until).toISOString(),
      trail: trailOf(username),
    })),
    renamed: person.renamed.map(({ username, until }) => ({
      name: username,
      until: new Date(until).toISOString(),
      address: userAddress(username, domain),
    })),
    alike: person.alike.map((one) => ({ name: one, address: userAddress(one, domain) })),
  };
}

const trailOf = (name: string): string => `/userapi/audit${queryOf({ target: name })}`;

const placeOf = (name: string, domain: string) => ({ domain, address: userAddress(name, domain) });
