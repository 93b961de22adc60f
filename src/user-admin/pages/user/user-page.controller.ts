import { Get, Query } from '@nestjs/common';
import type { Request } from 'express';
import { hasBanner } from '../../../platform/pages/banners.js';
import { Page, PageController } from '../../../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import { Clock } from '../../../platform/common/clock.js';
import { CurrentRequest, OwnOrigin } from '../../../platform/common/from-request.js';
import { PageParties } from '../page-parties.js';
import { enrolmentUrlOf } from '../page-frame.js';
import { InvitationIssue } from '../../../invitations/invitation-issue.js';
import { may } from '../../../platform/access/permissions.js';
import { UserPageQuery } from '../pages.dto.js';
import { UserOverview } from './user-overview.js';
import { userPage } from './user.view.js';

/** The page of one user: the keys, the available actions, and the events. */
@PageController('userapi/user', 'users:read')
export class UserPageController {
  constructor(
    private readonly parties: PageParties,
    private readonly users: UserOverview,
    private readonly issuing: InvitationIssue,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Page('user')
  async show(
    @Query(DtoPipe) { rp: domain, name, cursor }: UserPageQuery,
    @CurrentAccount() account: Account,
    @OwnOrigin() origin: string,
    @CurrentRequest() request: Request,
  ) {
    const rp = this.parties.one(account, domain);
    const overview = await this.users.read(rp, name, cursor);
    const more = { successor: this.parties.successorOf(rp), now: this.clock.now() };
    const page = userPage({ ...overview, ...more }, account, cursor);
    if (!page.known && !hasBanner(request)) request.res?.status(404);
    const invite = {
      obstacle: this.issuing.obstacle(rp, origin),
      /** The page on which the account can remove the obstacle. */
      mend: may(account, 'tenants:change') ? enrolmentUrlOf(rp) : undefined,
      several: this.issuing.allowsSeveral,
    };
    return { ...page, invite };
  }
}
