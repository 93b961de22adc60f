import { Body, Post } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { atRelyingParty } from '../../../audit/request-rows.js';
import { UserGroups } from '../../../users/groups/user-groups.js';
import { LinkedUsers } from '../../../users/moves/linked-users.js';
import {
  failureBanner,
  LeadsToPage,
  successBanner,
  type RedirectWithBanner,
} from '../../../platform/pages/banners.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import { PageController } from '../../../platform/pages/page.interceptor.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import { ensureShown, userAddress } from '../page-frame.js';
import { PageParties } from '../page-parties.js';
import { GroupsForm } from '../pages.dto.js';

/** The form of a user's page that changes the groups at this relying party. */
@PageController('userapi/user/groups', 'groups:change')
export class UserGroupsController {
  constructor(
    private readonly parties: PageParties,
    private readonly linked: LinkedUsers,
    private readonly groups: UserGroups,
  ) {}

  @Post()
  @LeadsToPage()
  @Audited('user.groups')
  async change(
    @Body(DtoPipe) { rp: domain, name, user, groups, base }: GroupsForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const rp = this.parties.one(call.account, domain);
    call.about({ ...atRelyingParty(rp), target: name });
    const found = await this.linked.find(rp, [name]);
    ensureShown(found, user);
    const userId = found[0]?.userId;
    const changed = await this.groups.replace(rp, name, groups, { ...call, base, userId });
    const banner = changed
      ? successBanner(phrase('users:done.groups'))
      : failureBanner(phrase('users:notDone.unchanged'));
    return { url: userAddress(name, rp.domain), banner };
  }
}
