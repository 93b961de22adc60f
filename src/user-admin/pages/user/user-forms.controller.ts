import { Body, Post } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { atRelyingParty } from '../../../audit/request-rows.js';
import { UserGroups } from '../../../users/groups/user-groups.js';
import { LinkedUsers } from '../../../users/moves/linked-users.js';
import { Suspensions } from '../../../users/suspension/suspensions.js';
import {
  failureBanner,
  LeadsToPage,
  successBanner,
  type RedirectWithBanner,
} from '../../../platform/pages/banners.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import { PageController } from '../../../platform/pages/page.interceptor.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import { isObject } from '../../../platform/validation/field-validator.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import { ensureShown, userAddress, withEnded } from '../page-frame.js';
import { PageParties } from '../page-parties.js';
import { GroupsForm, SuspensionForm } from '../pages.dto.js';

/** The forms of a user's page that change the user. */
@PageController('userapi/user', 'users:read')
export class UserFormsController {
  constructor(
    private readonly parties: PageParties,
    private readonly linked: LinkedUsers,
    private readonly groups: UserGroups,
    private readonly suspensions: Suspensions,
  ) {}

  /** Changes the groups at this relying party. */
  @Post('groups')
  @LeadsToPage()
  @Audited('user.groups', { allow: 'groups:change' })
  async changeGroups(
    @Body(DtoPipe) form: GroupsForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { name, groups, base } = form;
    const { rp, shown } = await this.shownUser(form, call);
    const by = { ...call, base, userId: shown?.userId };
    const changed = await this.groups.replace(rp, name, groups, by);
    const banner = changed
      ? successBanner(phrase('users:done.groups'))
      : failureBanner(phrase('users:notDone.unchanged'));
    return { url: userAddress(name, rp.domain), banner };
  }

  /** Suspends the user, or ends the suspension. */
  @Post('suspension')
  @LeadsToPage()
  @Audited(
    ({ body }) => ({
      action: isObject(body) && body['action'] === 'unsuspend' ? 'user.unsuspend' : 'user.suspend',
    }),
    { allow: 'users:suspend' },
  )
  async suspend(
    @Body(DtoPipe) form: SuspensionForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { name, action } = form;
    const { rp, shown } = await this.shownUser(form, call);
    const suspended = action === 'suspend';
    const reason = form.reason?.trim();
    const by = { account: call.account.name, ...(reason && { reason }) };
    const change = { known: shown?.user, suspended, by, call };
    const result = shown && (await this.suspensions.byHelpDesk(rp, name, change));
    if (!result) throw new ApiError('E0053R', 'resource.changed');
    const url = userAddress(name, rp.domain);
    if (!result.isChanged) {
      return { url, banner: failureBanner(phrase('users:notDone.unchanged')) };
    }
    const still = !suspended && result.suspendedBy !== null;
    const done = phrase(`users:done.${still ? 'still-suspended' : action}`);
    return { url, banner: successBanner(withEnded(done, result.ended)) };
  }

  /**
   * The user whom the page showed. From here on, the audit row of the call names the user.
   *
   * @throws ApiError as `ensureShown`
   */
  private async shownUser(
    { rp: domain, name, user }: GroupsForm | SuspensionForm,
    call: AuditedCall,
  ) {
    const rp = this.parties.one(call.account, domain);
    call.about({ ...atRelyingParty(rp), target: name });
    const found = await this.linked.find(rp, [name]);
    ensureShown(found, user);
    return { rp, shown: found[0] };
  }
}
