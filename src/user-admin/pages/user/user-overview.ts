import { Injectable } from '@nestjs/common';
import { Invitations } from '../../../invitations/invitations.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { Deletions } from '../../../users/deletions/deletions.js';
import { UserGroups } from '../../../users/groups/user-groups.js';
import { LinkedUsers } from '../../../users/moves/linked-users.js';
import { UsersByName } from '../../../users/users-by-name.js';
import { KeyCards } from './key-cards.js';
import { UserTimeline } from './user-timeline.js';

/** Reads what the page of a user shows. */
@Injectable()
export class UserOverview {
  constructor(
    private readonly linked: LinkedUsers,
    private readonly byName: UsersByName,
    private readonly cards: KeyCards,
    private readonly timeline: UserTimeline,
    private readonly invitations: Invitations,
    private readonly deletions: Deletions,
    private readonly groups: UserGroups,
  ) {}

  /**
   * @param requested the name in NFC
   * @param cursor the cursor at which older entries begin; without it, the newest are read
   */
  async read(rp: RelyingParty, requested: string, cursor: string | undefined) {
    const linked = await this.linked.find(rp, [requested]);
    /** The users of this name, here and at the predecessor; empty if there are none. */
    const users = linked.map((one) => one.user);
    const [user] = users;
    const name = user?.username ?? requested;
    const names = await this.timeline.namesOf(rp, users, name);
    const here = users.find(({ relyingParty }) => relyingParty.id.equals(rp.id));
    const [timeline, invitations, renamed, deletions, alike, groups, keys] = await Promise.all([
      this.timeline.of(names, users, cursor),
      this.invitations.list(rp, name),
      this.timeline.formerOwners(rp, name),
      this.deletions.everywhere(rp, name, users),
      user ? undefined : this.byName.alike(rp, [name]),
      here && this.groups.find(rp, here.username),
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
      alike: alike?.get(name) ?? [],
      /** Of the user at this relying party; `undefined` if there is none. */
      groups,
      /** The name of the profile that applies to that user. */
      profile: here && keys[users.indexOf(here)]?.profile,
      cards: keys.flatMap((one) => one.cards),
      models: this.cards.models,
    };
  }
}
