import { Body, HttpCode, Post } from '@nestjs/common';
import type { Request } from 'express';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { OncePerPage } from '../../../audit/forms/once-per-page.js';
import { addEnded, noneEnded } from '../../../users/lock-outs.js';
import { LinkedUsers } from '../../../users/moves/linked-users.js';
import { UserChanges } from '../../../users/user-changes.js';
import { credentialIdText, factsOfUser, type FoundUser } from '../../../users/user-rows.js';
import { namesOfUsers } from '../../../users/users-by-name.js';
import { Database } from '../../../platform/database/database.js';
import { mapKey } from '../../../platform/database/row-ids.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import { problem } from '../../../platform/errors/reasons.js';
import { pageBefore } from '../../../platform/errors/visitor.js';
import { CurrentRequest } from '../../../platform/common/from-request.js';
import { Page, PageController } from '../../../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { AllowHere } from '../../../platform/access/allow.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { nameKey } from '../../../tenancy/usernames/name-key.js';
import { normalizeName } from '../../../platform/validation/values/names.js';
import { PageParties } from '../page-parties.js';
import { shownId } from '../page-frame.js';
import {
  actionIn,
  applyAction,
  needsTypedConfirmation,
  permissionForForm,
} from '../user-actions.js';
import { completePage } from '../../../platform/pages/page.view.js';
import { BulkForm } from './bulk.dto.js';
import { bulkPreview, bulkResult, type ChangedUser } from './bulk.view.js';

/** The target of an audit row without a particular user: of a refusal, or if nothing was changed. */
const SEVERAL = 'several users';

/** A user in a form, with the ID and, for an undo, the keys that the previous page showed. */
interface FormUser {
  readonly domain: string;
  readonly name: string;
  readonly shown: string | undefined;
  readonly keys: string | undefined;
}

/** A user to change, and the IDs of the keys to change; all keys if `keys` is absent. */
interface Target {
  readonly user: FoundUser;
  /** The relying party of the page. */
  readonly rp: RelyingParty;
  readonly keys: readonly string[] | undefined;
}

/** The list of users from which the form came, with its search. */
const listBefore = (request: Request): string => {
  const page = pageBefore(request);
  return page !== undefined && /^\/userapi(?:\?|$)/.test(page) ? page : '/userapi';
};

/** Changes several users at once: the help desk ticks them, sees the exact names and confirms. */
@PageController('userapi/bulk', 'keys:change')
export class BulkController {
  constructor(
    private readonly parties: PageParties,
    private readonly linked: LinkedUsers,
    private readonly changes: UserChanges,
    private readonly database: Database,
  ) {}

  /** Shows the affected users and the effect; changes nothing. Nothing is stored that a redirect could name. */
  @Post('preview')
  @HttpCode(200)
  @AllowHere('keys:change', { change: permissionForForm })
  @Page('bulk-preview')
  async preview(
    @Body(DtoPipe) form: BulkForm,
    @CurrentAccount() account: Account,
    @CurrentRequest() request: Request,
  ) {
    const users = (await this.targets(form, account)).map(({ user }) => user);
    return bulkPreview(form.action, users, listBefore(request));
  }

  /**
   * Changes the users in the form. A redirect could not carry the changed keys, which the undo needs; a reload
   * returns the same answer again and changes nothing.
   */
  @Post()
  @HttpCode(200)
  @OncePerPage('bulk-result')
  @Audited(({ body }) => ({ action: actionIn(body)?.action ?? 'users.change', target: SEVERAL }), {
    change: permissionForForm,
  })
  async change(@Body(DtoPipe) form: BulkForm, @CurrentCall() call: AuditedCall) {
    const { account, request, requestId } = call;
    const { action, confirm } = form;
    const reason = form.reason?.trim();
    const undoable = { account: account.name, reason, occasion: requestId };
    const targets = await this.targets(form, account);
    if (needsTypedConfirmation(action) && confirm?.trim() !== String(targets.length)) {
      const users = targets.map(({ user }) => user);
      const view = {
        ...bulkPreview(action, users, listBefore(request)),
        unconfirmed: problem('bulk.unconfirmed'),
        reason,
      };
      const page = { template: 'bulk-preview', model: completePage(view, request) };
      throw new ApiError('E0045R', 'bulk.unconfirmed', {}, { page });
    }
    const row = call.useRowPerChange();
    const audit = (user: FoundUser) => row(factsOfUser(user, reason ? { reason } : {}));
    const job = action === 'undo-disable-all' ? (form.occasion ?? '') : requestId;
    const context = { requestId, undoable, job, audit };
    const changed: ChangedUser[] = [];
    const ended = noneEnded();
    const change = async (part: readonly Target[]) => {
      for (const { user, rp, keys } of part) {
        // An undo finds its keys itself: one may have been restored since the form was created.
        const some = action === 'undo-disable-all' ? undefined : keys;
        const change = { ...context, calledAt: rp, keys: some };
        const applied = await applyAction(this.changes, action, user, change);
        if (!applied) continue;
        changed.push({ user, keys: applied.credentials.map(credentialIdText) });
        addEnded(ended, applied);
      }
    };
    // Until the keys of a predecessor are changed, they can register others at the successor.
    const first = targets.filter((one) => this.isAtPredecessor(one));
    await change(first);
    const again = first.length === 0 ? targets : await this.targets(form, account);
    const others = again.filter((one) => !this.isAtPredecessor(one));
    await change(others);
    if (changed.length === 0) await call.commit([], { detail: { users: 0 } });
    const requested = first.length + others.length;
    const list = listBefore(request);
    return bulkResult(action, { changed, ended, requested, occasion: requestId, list });
  }

  /** Whether the user is at a predecessor. */
  private isAtPredecessor({ user }: Target): boolean {
    return this.parties.successorOf(user.relyingParty) !== undefined;
  }

  /**
   * The existing users in the form, each once. If a form names no keys, the users of the same names at the
   * predecessor are included.
   */
  private async targets({ user, shown, keys }: BulkForm, account: Account): Promise<Target[]> {
    const named = user.map((text, n): FormUser => {
      // `domain/name`: a domain contains no slash.
      const slash = text.indexOf('/');
      const name = normalizeName(text.slice(slash + 1));
      return { domain: text.slice(0, slash), name, shown: shown[n], keys: keys[n] };
    });
    const targets = new Map<string, Target>();
    for (const domain of new Set(named.map((one) => one.domain))) {
      const rp = this.parties.one(account, domain);
      const here = await this.namedNow(
        rp,
        named.filter((one) => one.domain === domain),
      );
      if (here.length === 0) continue;
      const namedAs = new Map(here.map((one) => [nameKey(rp, one.name), one]));
      const names = here.map(({ name }) => name);
      for (const { user: one, name } of await this.linked.find(rp, names)) {
        const inForm = namedAs.get(nameKey(rp, name));
        const some = inForm?.keys?.split(',');
        const isHere = one.relyingParty.id.equals(rp.id);
        const isAnother = inForm?.shown !== undefined && inForm.shown !== shownId([one]);
        if (isHere ? isAnother : some) continue;
        const id = mapKey(one.id);
        targets.set(id, targets.get(id) ?? { user: one, rp, keys: some });
      }
    }
    return [...targets.values()];
  }

  /** Returns each user whom the page showed with the current name, without users who were deleted since. */
  private async namedNow(rp: RelyingParty, named: readonly FormUser[]): Promise<FormUser[]> {
    const ids = named.flatMap(({ shown }) =>
      shown === undefined ? [] : [Buffer.from(shown, 'base64url')],
    );
    if (ids.length === 0) return [...named];
    const names = await namesOfUsers(this.database, rp, ids);
    return named.flatMap((one) => {
      if (one.shown === undefined) return [one];
      const name = names.get(mapKey(Buffer.from(one.shown, 'base64url')));
      return name === undefined ? [] : [{ ...one, name }];
    });
  }
}
