import { Body, Get, Post, Query } from '@nestjs/common';
import type { Request } from 'express';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { atRelyingParty } from '../../../audit/request-rows.js';
import { LinkedUsers } from '../../../users/moves/linked-users.js';
import { addEnded, noneEnded } from '../../../users/lock-outs.js';
import { UserChanges } from '../../../users/user-changes.js';
import { factsOfUser, type FoundUser } from '../../../users/user-rows.js';
import {
  successBanner,
  failureBanner,
  hasBanner,
  LeadsToPage,
  type Banner,
  type RedirectWithBanner,
} from '../../../platform/pages/banners.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { AllowHere } from '../../../platform/access/allow.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import { Clock } from '../../../platform/common/clock.js';
import { CurrentRequest, OwnOrigin } from '../../../platform/common/from-request.js';
import { UserErasure } from '../../manage-users/user-erasure.js';
import { PageParties } from '../page-parties.js';
import { enrolmentUrlOf, ensureShown, userAddress, withEnded } from '../page-frame.js';
import { InvitationIssue } from '../../../invitations/invitation-issue.js';
import { may } from '../../../platform/access/permissions.js';
import { UserChangeForm, UserForm, UserPageQuery } from '../pages.dto.js';
import {
  actionIn,
  applyAction,
  isDeletingAction,
  isKeyAction,
  needsTypedConfirmation,
  permissionForForm,
} from '../user-actions.js';
import { UserOverview } from './user-overview.js';
import { userPage } from './user.view.js';

const UNCHANGED = failureBanner(phrase('users:notDone.unchanged'));
const UNCONFIRMED = failureBanner(phrase('users:notDone.undeleted'));
const UNERASED = failureBanner(phrase('users:notDone.unerased'));

/** The page of one user: the keys, the available actions, and the events. */
@PageController('userapi/user', 'keys:change')
export class UserPageController {
  constructor(
    private readonly parties: PageParties,
    private readonly users: UserOverview,
    private readonly linked: LinkedUsers,
    private readonly changes: UserChanges,
    private readonly issuing: InvitationIssue,
    private readonly erasure: UserErasure,
    private readonly clock: Clock,
  ) {}

  @Get()
  @AllowHere('users:read')
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

  /** Performs the action of a button and redirects to the page, which shows the outcome. */
  @Post()
  @LeadsToPage()
  @Audited(
    ({ body }) => ({ action: actionIn(body)?.action ?? 'user.change', target: body?.name }),
    { change: permissionForForm },
  )
  async act(
    @Body(DtoPipe) form: UserForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { account, requestId } = call;
    const { name, action } = form;
    const rp = this.parties.one(account, form.rp);
    const key = isKeyAction(action) ? (form.key ?? '') : undefined;
    const keys = key === undefined ? undefined : [key];
    call.about({ ...atRelyingParty(rp), target: name });
    const back = (banner: Banner): RedirectWithBanner => ({
      url: userAddress(name, rp.domain),
      banner,
    });
    const reason = form.reason?.trim();
    if (needsTypedConfirmation(action) && !form.isConfirmed()) {
      await call.refuse({ detail: { credentials: 0, confirmed: false } });
      return back({ ...UNCONFIRMED, typed: { reason: reason ?? '' } });
    }
    const facts = { ...(key !== undefined && { device: key }), ...(reason && { reason }) };
    const undoable = { account: account.name, reason, occasion: requestId };
    const found = await this.linked.find(rp, [name]);
    ensureShown(found, form.user);
    const row = call.useRowPerChange();
    const audit = (user: FoundUser) => row(factsOfUser(user, facts));
    let users = 0;
    const ended = noneEnded();
    for await (const user of this.linked.oneAfterTheOther(rp, found)) {
      const change = { requestId, calledAt: rp, undoable, audit, keys };
      const applied = await applyAction(this.changes, action, user, change);
      if (!applied) continue;
      users += 1;
      addEnded(ended, applied);
    }
    if (users === 0) {
      await call.commit([], { detail: { credentials: 0, ...facts } });
      return back(UNCHANGED);
    }
    const undo = isDeletingAction(action)
      ? { occasion: requestId, name, rp: rp.domain }
      : undefined;
    const done = withEnded(phrase(`users:done.${action}`), ended);
    return back({ ...successBanner(done), ...(undo && { undo }) });
  }

  /**
   * Erases the user from stored data, at the user's request (GDPR article 17). Redirects to the page of the pseudonym;
   * the audit row contains the pseudonym, not the name.
   */
  @Post('erasure')
  @LeadsToPage()
  @Audited('user.erase', { allow: 'users:erase' })
  async erase(
    @Body(DtoPipe) form: UserChangeForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { account, request, requestId, commit } = call;
    const { name } = form;
    const rp = this.parties.one(account, form.rp);
    call.about(atRelyingParty(rp));
    if (!form.isConfirmed()) {
      await call.refuse({});
      return { url: userAddress(name, rp.domain), banner: UNERASED };
    }
    const found = await this.linked.find(rp, [name]);
    ensureShown(found, form.user);
    const { ip: address = '' } = request;
    const by = { account: account.name, role: account.role, address, requestId };
    const { pseudonym, ended, ...figures } = await this.erasure.erase(rp, name, {
      ...by,
      commit,
      found,
    });
    const text = phrase('users:done.erased', {
      events: phrase('users:done.erasedEvents', { count: figures.events }),
      auditRows: phrase('users:done.erasedRows', { count: figures.auditRows }),
      pseudonym,
    });
    const banner = successBanner(withEnded(text, ended));
    return { url: userAddress(pseudonym, rp.domain), banner };
  }
}
