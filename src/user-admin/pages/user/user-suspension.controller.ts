import { Body, Post } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { atRelyingParty } from '../../../audit/request-rows.js';
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
import { SuspensionForm } from '../pages.dto.js';

/** The buttons of a user's page that suspend the user and end the suspension. */
@PageController('userapi/user/suspension', 'users:suspend')
export class UserSuspensionController {
  constructor(
    private readonly parties: PageParties,
    private readonly linked: LinkedUsers,
    private readonly suspensions: Suspensions,
  ) {}

  @Post()
  @LeadsToPage()
  @Audited(({ body }) => ({
    action: isObject(body) && body['action'] === 'unsuspend' ? 'user.unsuspend' : 'user.suspend',
  }))
  async change(
    @Body(DtoPipe) { rp: domain, name, action, user, ...form }: SuspensionForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const rp = this.parties.one(call.account, domain);
    call.about({ ...atRelyingParty(rp), target: name });
    const found = await this.linked.find(rp, [name]);
    ensureShown(found, user);
    const [shown] = found;
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
}
