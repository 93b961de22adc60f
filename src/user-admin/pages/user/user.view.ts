import { Injectable } from '@nestjs/common';
import { Invitations } from '../../../invitations/invitations.js';
import type { Account } from '../../../platform/access/accounts/account.js';
import { Clock } from '../../../platform/common/clock.js';
import type { Problem } from '../../../platform/errors/reasons.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import type { PageView } from '../../../platform/pages/page.view.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { queryOf, userAddress } from '../addresses.js';
import { USERS_PAGE, userPermissions } from '../page-frame.js';
import { deletionNotice } from '../deletion.view.js';
import { invitationEntry, openInvitations } from '../invitation.view.js';
import { UserActions, shownUser } from '../user-actions.js';
import { KeyCards } from './key-cards.js';
import { supportSummary } from './support-summary.js';
import { UserTimeline } from './user-timeline.js';

const INVITATIONS = 5;

/** Whether an invitation can be issued; its button shows this in advance. */
interface InviteView {
  readonly obstacle: Problem | undefined;
  /** The page on which the account can remove the obstacle. */
  readonly mend: string | undefined;
  /** Whether it may request several keys. */
  readonly several: boolean;
}

interface VisitedUser {
  readonly account: Account;
  /** In NFC. */
  readonly name: string;
  /** The cursor at which older entries begin; without it, the newest are shown. */
  readonly cursor: string | undefined;
  readonly invite: InviteView;
}

type KeyCard = Awaited<ReturnType<KeyCards['ofUser']>>[number];

/** Another name that leads to a user. */
interface OtherName {
  readonly name: string;
  readonly address: string;
}

/** What the template of the page shows. Times are ISO 8601. */
interface UserPageView extends PageView {
  readonly name: string;
  readonly domain: string;
  /** Whether there is a user of this name. */
  readonly known: boolean;
  /** Absent if it is the name. */
  readonly displayName: string | undefined;
  readonly created: string | undefined;
  /** The value in forms that protects a later user of the name from the change. */
  readonly shown: ReturnType<typeof shownUser>;
  readonly permissions: ReturnType<typeof userPermissions>;
  /** Each card shows whether its key is the last one that can sign in. */
  readonly cards: readonly (KeyCard & { readonly last: boolean })[];
  /** Whether any key can still be disabled: a finding may already have disabled it. */
  readonly anyToDisable: boolean;
  readonly anyDisabled: boolean;
  readonly invite: InviteView;
  /** The newest invitations. */
  readonly invitations: readonly ReturnType<typeof invitationEntry>[];
  /** The open invitations among these and older ones. */
  readonly open: ReturnType<typeof openInvitations>;
  readonly deletions: readonly ReturnType<typeof deletionNotice>[];
  readonly entries: Awaited<ReturnType<UserTimeline['of']>>['entries'];
  /** The addresses of older entries and, on the page with these, of the newest. */
  readonly older: string | undefined;
  readonly newest: string | undefined;
  /** Plain text for a ticket. */
  readonly summary: ReturnType<typeof supportSummary>;
  /** The address of the audit rows about the name. */
  readonly trail: string;
  /** The user's old domain: changes here are also made there. */
  readonly former: string | undefined;
  /** The old domain, if a user there is found only by the same name: an invitation must state whom it is for. */
  readonly unlinked: string | undefined;
  /** The domain to which users move from this one. */
  readonly successor: { readonly domain: string; readonly address: string } | undefined;
  /** The user's former names, here and at the old domain. */
  readonly earlier: readonly {
    readonly name: string;
    readonly domain: string | undefined;
    readonly until: string;
    readonly trail: string;
  }[];
  /** The present names of users who gave up this name. */
  readonly renamed: readonly (OtherName & { readonly until: string })[];
  /** Users whose names differ only in case, if there is no user of this one. */
  readonly alike: readonly OtherName[];
}

/** The page of one user, or of a name without a user. */
@Injectable()
export class UserPage {
  constructor(
    private readonly actions: UserActions,
    private readonly cards: KeyCards,
    private readonly timeline: UserTimeline,
    private readonly invitations: Invitations,
    private readonly clock: Clock,
  ) {}

  async view(
    rp: RelyingParty,
    { account, name: requested, cursor, invite }: VisitedUser,
  ): Promise<UserPageView> {
    const { domain } = rp;
    const linked = await this.actions.everywhere(rp, [requested]);
    /** The users of this name, here and at the old domain; empty if there are none. */
    const users = linked.map((one) => one.user);
    const [user] = users;
    const name = user?.username ?? requested;
    const names = await this.timeline.namesOf(rp, { users, called: name });
    const [{ entries, older }, invitations, renamed, deletions, alike, cardsOfUsers] =
      await Promise.all([
        this.timeline.of(names, users, cursor),
        this.invitations.list(rp, name),
        this.timeline.formerOwners(rp, name),
        this.actions.deleted(rp, name, users),
        user ? [] : this.actions.alike(rp, name),
        Promise.all(users.map((one) => this.cards.ofUser(one, rp))),
      ]);
    const cards = cardsOfUsers.flat();
    const known = user !== undefined;
    const enabled = cards.filter((card) => card.enabled).length;
    const unlinked = linked.find((one) => one.user.relyingParty !== rp && !one.isLinked)?.user;
    const successor = this.actions.successorOf(rp);
    const now = this.clock.now();
    const { models } = this.cards;
    return {
      title: phrase('users:user.title', { name: user?.displayName ?? name }),
      ...USERS_PAGE,
      name,
      domain,
      entries,
      cards: cards.map((card) => ({ ...card, last: card.enabled && enabled === 1 })),
      deletions: deletions.map((one) => deletionNotice(one, { name, domain, account, models })),
      invitations: invitations.slice(0, INVITATIONS).map((one) => invitationEntry(one, now)),
      invite,
      open: openInvitations(invitations, now),
      known,
      shown: shownUser(users),
      displayName: user?.displayName === name ? undefined : user?.displayName,
      created: user && new Date(user.createdAt).toISOString(),
      anyToDisable: cards.some(({ disabled }) => disabled === undefined),
      anyDisabled: enabled < cards.length,
      permissions: userPermissions(account),
      older: older && `${userAddress(name, domain, { cursor: older })}#timeline`,
      newest: cursor && `${userAddress(name, domain)}#timeline`,
      summary: supportSummary({ name, domain, known, cards, entries }),
      trail: trailOf(name),
      former: users.find(({ relyingParty }) => relyingParty.domain !== domain)?.relyingParty.domain,
      unlinked: unlinked?.relyingParty.domain,
      successor: successor && {
        domain: successor.domain,
        address: userAddress(name, successor.domain),
      },
      earlier: names.flatMap(({ username, until, relyingParty }) => {
        if (until === undefined) return [];
        return {
          name: username,
          domain: relyingParty.domain === domain ? undefined : relyingParty.domain,
          until: new Date(until).toISOString(),
          trail: trailOf(username),
        };
      }),
      renamed: renamed.map(({ username, until }) => ({
        name: username,
        until: new Date(until).toISOString(),
        address: userAddress(username, domain),
      })),
      alike: alike.map((one) => ({ name: one, address: userAddress(one, domain) })),
    };
  }
}

const trailOf = (name: string): string => `/userapi/audit${queryOf({ target: name })}`;
