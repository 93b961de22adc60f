import { Controller, HttpCode, Post, Render, Req, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '../../http/openapi.js';
import { CheckedBody } from '../../validation/body.pipe.js';
import type { Request } from 'express';
import { Audited, CurrentNote } from '../../audit/audited.js';
import type { AuditNote } from '../../audit/audit-trail.js';
import type { FoundUser } from '../../credentials/user-rows.js';
import { ApiError } from '../../errors/api-error.js';
import { PageInterceptor } from '../../presentation/page.interceptor.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow } from '../../security/allow.js';
import { normalizeName } from '../../validation/names.js';
import { bulkPreview, bulkResult } from './bulk.view.js';
import type { BulkView, Changed } from './bulk.view.js';
import { PageScope } from './page-scope.js';
import { textOf, textsOf } from './params.js';
import { ACTIONS, UserActions, isAction, keyName } from './user-actions.js';
import type { Action } from './user-actions.js';

/** The rows of one page of the table; a form cannot name many more anyway. */
const MAX_USERS = 200;
/** Characters of names that an audit row has room for. */
const MAX_NAMES = 1000;
const SEVERAL = 'several users';

/** Somebody to be changed, and which of the keys; all, when absent. */
interface Target {
  readonly user: FoundUser;
  readonly keys: readonly string[] | undefined;
}

/** What a help desk does to several people at once: tick, look at the exact names, confirm. */
@ApiExcludeController()
@Allow('keys:change')
@UseInterceptors(PageInterceptor)
@Controller('userapi/bulk')
export class BulkController {
  constructor(
    private readonly scope: PageScope,
    private readonly actions: UserActions,
  ) {}

  /** Shows who is meant and what would happen; changes nothing. */
  @Post('preview')
  @HttpCode(200)
  @Render('bulk-preview')
  async preview(
    @CheckedBody() body: unknown,
    @CurrentAccount() account: Account,
  ): Promise<BulkView> {
    const action = this.actions.allowed(account, textOf(body, 'action'));
    const users = (await this.targets(body, account)).map(({ user }) => user);
    return bulkPreview(action, users);
  }

  /** Repeating it, as a reload does, changes nothing more. */
  @Post()
  @HttpCode(200)
  @Audited(({ body }) => ({ action: auditActionOf(body), target: SEVERAL }))
  @Render('bulk-result')
  async change(
    @CheckedBody() body: unknown,
    @Req() { requestId }: Request,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<BulkView> {
    const action = this.actions.allowed(account, textOf(body, 'action'));
    const targets = await this.targets(body, account);
    if (ACTIONS[action].typed && textOf(body, 'confirm')?.trim() !== String(targets.length)) {
      throw new ApiError('E0045R', 'Type the number of users to confirm. Nothing was changed.');
    }
    const changed: Changed[] = [];
    for (const { user, keys } of targets) {
      const touched = await this.apply(action, { user, keys }, requestId);
      if (touched) changed.push({ user, keys: touched });
    }
    Object.assign(note, noteOf(changed));
    return bulkResult(action, { changed, asked: targets.length });
  }

  /** @returns the keys changed; `undefined` when nothing was */
  private async apply(
    action: Action,
    { user, keys }: Target,
    requestId: string,
  ): Promise<string[] | undefined> {
    if (!keys) return (await this.actions.apply(action, user, { requestId }))?.map(keyName);
    const touched = [];
    for (const key of keys) {
      touched.push(...((await this.actions.apply(action, user, { key, requestId })) ?? []));
    }
    return touched.length === 0 ? undefined : touched.map(keyName);
  }

  /** Of those whom the form names, the ones that there are: `domain/name` each, and maybe `keys`. */
  private async targets(body: unknown, account: Account): Promise<Target[]> {
    const keys = textsOf(body, 'keys');
    const named = textsOf(body, 'user').map((text, n) => ({ ...namedBy(text), keys: keys[n] }));
    if (named.length > MAX_USERS) {
      throw new ApiError('E0045R', `At most ${MAX_USERS} users can be changed at once.`);
    }
    const targets: Target[] = [];
    for (const domain of new Set(named.map((one) => one.domain))) {
      const here = named.filter((one) => one.domain === domain);
      const keysOf = new Map(here.map((one) => [one.name, one.keys?.split(',')]));
      const users = await this.actions.find(this.scope.one(account, domain), [...keysOf.keys()]);
      targets.push(...users.map((user) => ({ user, keys: keysOf.get(user.username) })));
    }
    return targets;
  }
}

/** A user as forms name it; a domain has no slash. */
function namedBy(text: string): { domain: string; name: string } {
  const slash = text.indexOf('/');
  const [domain, name] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash < 1 || name === '') throw new ApiError('E0045R', '"user" names no user.');
  return { domain, name: normalizeName(name) };
}

function auditActionOf(body: unknown): string {
  const action = textOf(body, 'action');
  return isAction(action) ? ACTIONS[action].audit : 'users.change';
}

/** Whom it was done to: one row tells of all, with as many names as it can hold. */
function noteOf(changed: readonly Changed[]): Partial<AuditNote> {
  const [first, second] = changed;
  if (!first) return {};
  const { tenant, domain } = first.user.relyingParty;
  const names = changed.map(({ user }) => user.username).join(', ');
  const credentials = changed.reduce((sum, { keys }) => sum + keys.length, 0);
  return {
    tenant,
    relyingParty: domain,
    target: second ? SEVERAL : first.user.username,
    detail: { users: changed.length, credentials, names: names.slice(0, MAX_NAMES).toWellFormed() },
  };
}
