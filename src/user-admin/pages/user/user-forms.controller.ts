import { Body, Post } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { atRelyingParty } from '../../../audit/request-rows.js';
import { UserGroups } from '../../../users/groups/user-groups.js';
import { LinkedUsers } from '../../../users/moves/linked-users.js';
import { addEnded, noneEnded } from '../../../users/lock-outs.js';
import { Suspensions } from '../../../users/suspension/suspensions.js';
import { UserChanges } from '../../../users/user-changes.js';
import { factsOfUser, type FoundUser } from '../../../users/user-rows.js';
import {
  failureBanner,
  LeadsToPage,
  successBanner,
  type Banner,
  type RedirectWithBanner,
} from '../../../platform/pages/banners.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import { PageController } from '../../../platform/pages/page.interceptor.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import { isObject } from '../../../platform/validation/field-validator.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import { UserErasure } from '../../manage-users/user-erasure.js';
import { ensureShown, userAddress, withEnded } from '../page-frame.js';
import { PageParties } from '../page-parties.js';
import { GroupsForm, SuspensionForm, UserChangeForm, UserForm } from '../pages.dto.js';
import {
  actionIn,
  applyAction,
  isDeletingAction,
  isKeyAction,
  needsTypedConfirmation,
  permissionForForm,
} from '../user-actions.js';

const UNCHANGED = failureBanner(phrase('users:notDone.unchanged'));
const UNCONFIRMED = failureBanner(phrase('users:notDone.undeleted'));
const UNERASED = failureBanner(phrase('users:notDone.unerased'));

/** The forms of a user's page: actions on the user and the keys, erasure, groups and suspension. */
@PageController('userapi/user', 'users:read')
export class UserFormsController {
  constructor(
    private readonly parties: PageParties,
    private readonly linked: LinkedUsers,
    private readonly groups: UserGroups,
    private readonly suspensions: Suspensions,
    private readonly changes: UserChanges,
    private readonly erasure: UserErasure,
  ) {}

  /** Performs the action of a button and redirects to the page, which shows the outcome. */
  @Post()
  @LeadsToPage()
  @Audited(
    ({ body }) => ({ action: actionIn(body)?.action ?? 'user.change', target: body?.name }),
    { allow: 'keys:change', change: permissionForForm },
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
    const banner = changed ? successBanner(phrase('users:done.groups')) : UNCHANGED;
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
    if (!result.isChanged) return { url, banner: UNCHANGED };
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
