import { Injectable } from '@nestjs/common';
import { mapKey } from '../../../platform/database/row-ids.js';
import { profileOf, rulesFor } from '../../../tenancy/policy/rules-for.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { GroupsInForce } from '../../../users/moves/groups-in-force.js';
import type { FoundUser } from '../../../users/user-rows.js';
import { UserActions } from '../user-actions.js';

type UserAtParty = Pick<FoundUser, 'id' | 'relyingParty'>;

/** The profiles of a policy that apply to users. Reads nothing at relying parties without profiles. */
@Injectable()
export class UserProfiles {
  constructor(
    private readonly groups: GroupsInForce,
    private readonly actions: UserActions,
  ) {}

  /** The name of the profile that applies to a user; `undefined` if the policy itself does. */
  async ofUser(user: UserAtParty): Promise<string | undefined> {
    return profileOf(user.relyingParty.policy, await this.groupsOf(user))?.name;
  }

  /** The relying party of a user with the rules that apply to the user. */
  async rulesOf(user: UserAtParty): Promise<RelyingParty> {
    return rulesFor(user.relyingParty, await this.groupsOf(user));
  }

  /** As `ofUser`, for the user of a name; `undefined` too if there is none. */
  async ofName(rp: RelyingParty, name: string): Promise<string | undefined> {
    if (rp.policy.profiles.length === 0) return undefined;
    const users = (await this.actions.everywhere(rp, [name])).map(({ user }) => user);
    const here = users.find(({ relyingParty }) => relyingParty.id.equals(rp.id));
    return here && this.ofUser(here);
  }

  private async groupsOf({ id, relyingParty }: UserAtParty): Promise<readonly string[]> {
    return (await this.groups.ofUsers(relyingParty, [id])).get(mapKey(id)) ?? [];
  }
}
