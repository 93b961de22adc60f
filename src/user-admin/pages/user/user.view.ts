import {
  helpDeskSuspensionOf,
  suspendingSides,
  type HelpDeskSuspension,
} from '../../../users/suspension/suspension.js';
import type { Account } from '../../../platform/access/accounts/account.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { baseOf } from '../../../platform/pages/form-base.js';
import { lastUseOf } from '../../../users/list/filter-and-order.js';
import type { NamedUserWithGroups } from '../../../users/groups/user-groups.js';
import {
  momentValue,
  phrase,
  type Phrase,
  type Text,
} from '../../../platform/pages/languages/phrase.js';
import {
  USERS_PAGE,
  userPermissions,
  queryOf,
  userAddress,
  deletionNotice,
  shownId,
} from '../page-frame.js';
import { invitationEntry, openInvitations } from '../invitation.view.js';
import type { KeyCard } from './key-card.view.js';
import type { TimelineEntry } from './timeline.view.js';
import type { UserOverview } from './user-overview.js';

const INVITATIONS = 5;
/** The number of entries of the timeline in the summary. */
const SUMMARIZED = 10;
/** The number of keys that the line about the state names; further ones are counted. */
const NAMED_KEYS = 3;

/** What the page shows: its reads, the relying party to which users move, and the time. */
interface UserOverviewData extends Awaited<ReturnType<UserOverview['read']>> {
  readonly successor: RelyingParty | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The page of a user.
 *
 * @param cursor the cursor at which the shown entries begin; absent if they are the newest
 */
export function userPage(overview: UserOverviewData, account: Account, cursor: string | undefined) {
  const { rp, name, users, cards, entries, deletions, models, groups, profile } = overview;
  const { domain } = rp;
  const [user] = users;
  const known = user !== undefined;
  return {
    title: phrase('users:user.title', { name: user?.displayName ?? name }),
    ...USERS_PAGE,
    name,
    domain,
    known,
    /** Absent if it is the name. */
    displayName: user?.displayName === name ? undefined : user?.displayName,
    created: user && new Date(user.createdAt).toISOString(),
    directory: user && directoryPhrase(user),
    state: cursor === undefined ? userState(overview) : undefined,
    suspension: suspensionOf(users),
    groups: groups && { ...groupsView(groups), profile },
    /** The value in forms that protects a later user of the name from the change. */
    shown: shownId(users),
    ...keysView(cards),
    ...invitationsView(overview),
    deletions: deletions.map((one) => deletionNotice(one, { name, domain }, account, models)),
    ...timelineView(overview, cursor),
    ...moveView(overview),
    ...namesView(overview),
    summary: supportSummary(name, domain, known, cards, entries),
    trail: trailOf(name),
    permissions: userPermissions(account),
  };
}

/** The keys that can sign in at the relying party of the page: those of the predecessor only if there are none here. */
function usableKeys(cards: readonly KeyCard[]): readonly KeyCard[] {
  const own = cards.filter(({ domain }) => domain === undefined);
  return (own.length > 0 ? own : cards).filter(({ usable }) => usable);
}

/** What a caller's first questions are about: whether the user can sign in, and what happened last. */
function userState({ users, cards, entries }: UserOverviewData) {
  const [user] = users;
  if (!user) return undefined;
  const keys = usableKeys(cards).map(({ label }) => label);
  const lastUse = Math.max(...users.map((one) => lastUseOf(one) ?? 0));
  const refusal = entries.find(({ tell }) => tell !== undefined);
  return {
    canSignIn: user.canSignIn,
    /** Whether a new key would let the user sign in. */
    needsKey: !user.canSignIn && user.suspendedBy === null,
    keys: keys.slice(0, NAMED_KEYS),
    moreKeys: Math.max(keys.length - NAMED_KEYS, 0),
    lastUsed: lastUse === 0 ? undefined : new Date(lastUse).toISOString(),
    /** The latest refusal among the entries of the page. */
    refusal: refusal && { at: refusal.at, reason: refusal.reason, tell: refusal.tell },
  };
}

function keysView(cards: readonly KeyCard[]) {
  const usable = usableKeys(cards);
  return {
    /** Each card shows whether its key is the last one that can sign in. */
    cards: cards.map((card) => ({ ...card, last: usable.length === 1 && usable.includes(card) })),
    /** Whether any key can still be disabled: a finding may already have disabled it. */
    anyToDisable: cards.some(({ disabled }) => disabled === undefined),
    anyDisabled: cards.some(({ enabled }) => !enabled),
  };
}

const invitationsView = ({ invitations, now }: UserOverviewData) => ({
  invitations: invitations.slice(0, INVITATIONS).map((one) => invitationEntry(one, now)),
  /** The open invitations among the newest and older ones. */
  open: openInvitations(invitations, now),
});

/** The addresses are those of older entries and, on the page with these, of the newest. */
const timelineView = (
  { rp, name, entries, older }: UserOverviewData,
  cursor: string | undefined,
) => ({
  entries,
  older: older && `${userAddress(name, rp.domain, { cursor: older })}#timeline`,
  newest: cursor && `${userAddress(name, rp.domain)}#timeline`,
});

function moveView({ rp, name, users, successor }: UserOverviewData) {
  const [user] = users;
  return {
    /** The predecessor's domain if the user is there too: changes here are also made there. */
    predecessor: users.find(({ relyingParty }) => relyingParty.domain !== rp.domain)?.relyingParty
      .domain,
    /** The predecessor's domain for a user who is not here yet: an invitation must say that it is for that user. */
    expected: user && user.relyingParty !== rp ? user.relyingParty.domain : undefined,
    successor: successor && {
      domain: successor.domain,
      address: userAddress(name, successor.domain),
    },
  };
}

const namesView = ({ rp: { domain }, names, renamed, alike }: UserOverviewData) => ({
  /** The user's former names, here and at the predecessor. */
  earlier: names.flatMap(({ username, until, relyingParty }) => {
    if (until === undefined) return [];
    return {
      name: username,
      domain: relyingParty.domain === domain ? undefined : relyingParty.domain,
      until: new Date(until).toISOString(),
      trail: trailOf(username),
    };
  }),
  /** The present names of users who gave up this name. */
  renamed: renamed.map(({ username, until }) => ({
    name: username,
    until: new Date(until).toISOString(),
    address: userAddress(username, domain),
  })),
  /** Users whose names differ only in case, if there is no user of this one. */
  alike: alike.map((one) => ({ name: one, address: userAddress(one, domain) })),
});

const groupsView = ({ groups: names, isOfDirectory }: NamedUserWithGroups) => ({
  names,
  isOfDirectory,
  lines: names.join('\n'),
  base: baseOf({ groups: names }),
});

/** The state in words, and whether the help desk can suspend the user or end its suspension. */
function suspensionOf(users: UserOverviewData['users']) {
  const [user] = users;
  if (!user) return undefined;
  const sides = suspendingSides(user);
  const by = helpDeskSuspensionOf(user);
  return {
    says: sides.map((side) =>
      side === 'helpDesk' && by ? helpDeskPhrase(by) : phrase(`users:suspension.${side}`),
    ),
    isByHelpDesk: sides.includes('helpDesk'),
  };
}

/** Whether a directory manages the user, with the directory's ID of the user. */
function directoryPhrase({
  externalId,
  directoryJson,
}: UserOverviewData['users'][number]): Phrase | undefined {
  if (directoryJson === null) return undefined;
  if (externalId === null) return phrase('users:user.directory');
  return phrase('users:user.directoryId', { id: externalId.toString('utf8') });
}

function helpDeskPhrase({ account, reason, at }: HelpDeskSuspension): Phrase {
  if (account === undefined) return phrase('users:suspension.helpDesk');
  return phrase(`users:suspension.${reason === undefined ? 'account' : 'because'}`, {
    account,
    at: momentValue(at),
    ...(reason !== undefined && { reason }),
  });
}

const trailOf = (name: string): string => `/userapi/audit${queryOf({ target: name })}`;

/** A summary of a user for a support ticket: plain text, without credential IDs and device data. */
function supportSummary(
  name: string,
  domain: string,
  known: boolean,
  cards: readonly KeyCard[],
  entries: readonly TimelineEntry[],
): Text[] {
  return [
    known
      ? phrase('users:summary.user', { name, domain })
      : phrase('users:summary.nobody', { name, domain }),
    '',
    cards.length === 0 ? phrase('users:summary.noKeys') : phrase('users:summary.keys'),
    ...cards.map(keyLine),
    '',
    entries.length === 0 ? phrase('users:summary.nothing') : phrase('users:summary.happened'),
    ...entries.slice(0, SUMMARIZED).map(entryLine),
  ];
}

const keyLine = ({ enabled, lastUsed, label: name, ...card }: KeyCard): Phrase =>
  phrase('users:summary.key', {
    name,
    model: card.model,
    aaguid: card.aaguid,
    registered: card.registered,
    state: enabled ? phrase('users:summary.enabled') : phrase('users:summary.disabled'),
    used:
      lastUsed === undefined
        ? phrase('users:summary.neverUsed')
        : phrase('users:summary.lastUsed', { at: lastUsed }),
  });

function entryLine({ at, what, reason, technical }: TimelineEntry): Phrase {
  const line =
    reason === undefined
      ? phrase('users:summary.entry', { at, what })
      : phrase('users:summary.refusal', { at, what, reason });
  return technical === '' ? line : phrase('users:summary.technical', { line, technical });
}
