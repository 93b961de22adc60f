import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/common/clock.js';
import { Invitations } from '../../../invitations/invitations.service.js';
import type { Account } from '../../../platform/access/accounts/account.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { invitationEntry, openInvitations } from '../invitation.view.js';
import { UserActions } from '../user-actions.js';
import { KeyCards } from './key-cards.js';
import { PersonTimeline } from './user-timeline.js';
import { userPage } from './user.view.js';
import type { InviteView } from './user.view.js';

const INVITATIONS = 5;

interface Asked {
  readonly account: Account;
  /** In NFC. */
  readonly name: string;
  /** Cursor at which older entries begin; without it, the newest are shown. */
  readonly cursor: string | undefined;
  readonly invite: InviteView;
}

/** Gathers what the page of a person shows. */
@Injectable()
export class PersonReader {
  constructor(
    private readonly actions: UserActions,
    private readonly cards: KeyCards,
    private readonly timeline: PersonTimeline,
    private readonly invitations: Invitations,
    private readonly clock: Clock,
  ) {}

  async page(rp: RelyingParty, { account, name, cursor, invite }: Asked) {
    const now = this.clock.now();
    const linked = await this.actions.everywhere(rp, [name]);
    const users = linked.map((one) => one.user);
    const [user] = users;
    const called = user?.username ?? name;
    const names = await this.timeline.namesOf(rp, { users, called });
    const [story, invited, renamed, deletions, alike, cards] = await Promise.all([
      this.timeline.of(names, cursor),
      this.invitations.list(rp, called),
      this.timeline.formerOwners(rp, called),
      this.actions.deleted(rp, called, users),
      user ? [] : this.actions.alike(rp, called),
      Promise.all(users.map((one) => this.cards.ofUser(one, rp))),
    ]);
    return userPage({
      name: called,
      account,
      users,
      cursor,
      domain: rp.domain,
      models: this.cards.models,
      unlinked: linked.find((one) => one.user.relyingParty !== rp && !one.isLinked)?.user
        .relyingParty.domain,
      successor: this.actions.successorOf(rp)?.domain,
      earlier: names.filter(({ until }) => until !== undefined),
      renamed,
      deletions,
      alike,
      cards: cards.flat(),
      invitations: invited.slice(0, INVITATIONS).map((one) => invitationEntry(one, now)),
      open: openInvitations(invited, now),
      invite,
      entries: story.entries(users),
      older: story.older,
    });
  }
}
