import { Injectable } from '@nestjs/common';
import { Invitations } from '../../../invitations/invitations.js';
import { Clock } from '../../../platform/common/clock.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { UserGroups } from '../../../users/groups/user-groups.js';
import { UserActions } from '../user-actions.js';
import { KeyCards } from './key-cards.js';
import { UserProfiles } from './user-profiles.js';
import { UserTimeline } from './user-timeline.js';

export type UserOverviewData = Awaited<ReturnType<UserOverview['read']>>;

/** Reads what the page of a user shows. */
@Injectable()
export class UserOverview {
  constructor(
    private readonly actions: UserActions,
    private readonly cards: KeyCards,
    private readonly timeline: UserTimeline,
    private readonly invitations: Invitations,
    private readonly groups: UserGroups,
    private readonly profiles: UserProfiles,
    private readonly clock: Clock,
  ) {}

  /**
   * @param requested the name in NFC
   * @param cursor the cursor at which older entries begin; without it, the newest are read
   */
  async read(rp: RelyingParty, requested: string, cursor: string | undefined) {
    const linked = await this.actions.everywhere(rp, [requested]);
    /** The users of this name, here and at the predecessor; empty if there are none. */
    const users = linked.map((one) => one.user);
    const [user] = users;
    const name = user?.username ?? requested;
    const names = await this.timeline.namesOf(rp, users, name);
    const here = users.find(({ relyingParty }) => relyingParty.id.equals(rp.id));
    const [timeline, invitations, renamed, deletions, alike, groups, profile, cards] =
      await Promise.all([
        this.timeline.of(names, users, cursor),
        this.invitations.list(rp, name),
        this.timeline.formerOwners(rp, name),
        this.actions.deleted(rp, name, users),
        user ? [] : this.actions.alike(rp, name),
        here && this.groups.find(rp, here.username),
        here && this.profiles.ofUser(here),
        Promise.all(users.map((one) => this.cards.ofUser(one, rp))),
      ]);
    return {
      rp,
      users,
      name,
      names,
      ...timeline,
      invitations,
      renamed,
      deletions,
      alike,
      /** Of the user at this relying party; `undefined` if there is none. */
      groups,
      /** The name of the profile that applies to that user. */
      profile,
      cards: cards.flat(),
      successor: this.actions.successorOf(rp),
      models: this.cards.models,
      now: this.clock.now(),
    };
  }
}
