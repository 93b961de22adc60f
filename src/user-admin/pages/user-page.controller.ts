import {
  Controller,
  Get,
  Post,
  Query,
  Redirect,
  Render,
  Req,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExcludeController } from '../../http/openapi.js';
import { CheckedBody } from '../../validation/body.pipe.js';
import type { Request, Response } from 'express';
import { Audited, CurrentNote } from '../../audit/audited.js';
import type { AuditNote } from '../../audit/audit-trail.js';
import { ApiError } from '../../errors/api-error.js';
import { PageInterceptor } from '../../presentation/page.interceptor.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow, AllowHere } from '../../security/allow.js';
import { normalizeName } from '../../validation/names.js';
import { PageScope } from './page-scope.js';
import { textOf, userAddress } from './params.js';
import { PersonReader } from './person.js';
import { ACTIONS, UserActions, isAction } from './user-actions.js';
import type { UserView } from './user.view.js';

/** One person: the keys, what can be done to them, and what happened. */
@ApiExcludeController()
@Allow('keys:change')
@Controller('userapi/user')
export class UserPageController {
  constructor(
    private readonly scope: PageScope,
    private readonly persons: PersonReader,
    private readonly actions: UserActions,
  ) {}

  @Get()
  @AllowHere('users:read')
  @UseInterceptors(PageInterceptor)
  @Render('user')
  async show(
    @Query() query: unknown,
    @CurrentAccount() account: Account,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserView> {
    const rp = this.scope.one(account, textOf(query, 'rp'));
    const page = await this.persons.page(rp, {
      account,
      name: nameOf(query),
      cursor: textOf(query, 'cursor'),
      done: textOf(query, 'done'),
    });
    if (!page.known && page.flash === undefined) response.status(404);
    return page;
  }

  /** Does what a button says, and leads back to the page, which tells what came of it. */
  @Post()
  @Redirect('/userapi', 303)
  @Audited(({ body }) => ({ action: auditActionOf(body), target: textOf(body, 'name') }))
  async act(
    @CheckedBody() body: unknown,
    @Req() { requestId }: Request,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<{ url: string }> {
    const action = this.actions.allowed(account, textOf(body, 'action'));
    const rp = this.scope.one(account, textOf(body, 'rp'));
    const name = nameOf(body);
    const key = action.endsWith('-key') ? (textOf(body, 'key') ?? '') : undefined;
    Object.assign(note, { tenant: rp.tenant, relyingParty: rp.domain, target: name });
    const back = (done: string) => ({ url: userAddress(name, rp.domain, { done }) });
    if (ACTIONS[action].typed && normalizeName(textOf(body, 'confirm') ?? '').trim() !== name) {
      note.detail = { credentials: 0, confirmed: false };
      return back('unconfirmed');
    }
    const [user] = await this.actions.find(rp, [name]);
    const touched =
      user &&
      (await this.actions.apply(action, user, { requestId, ...(key !== undefined && { key }) }));
    note.detail = { credentials: touched?.length ?? 0, ...(key !== undefined && { device: key }) };
    return back(touched ? action : 'unchanged');
  }
}

function nameOf(source: unknown): string {
  const name = textOf(source, 'name');
  if (name === undefined) throw new ApiError('E0045R', '"name" must be a user name.');
  return normalizeName(name);
}

function auditActionOf(body: unknown): string {
  const action = textOf(body, 'action');
  return isAction(action) ? ACTIONS[action].audit : 'user.change';
}
