import {
  Body,
  Controller,
  Get,
  Post,
  Query,
  Redirect,
  Render,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExcludeController } from '../../http/openapi.js';
import { RequestId } from '../../http/request-context.js';
import type { Response } from 'express';
import { Audited, CurrentNote } from '../../audit/audited.js';
import type { AuditNote } from '../../audit/audit-trail.js';
import { PageInterceptor } from '../../presentation/page.interceptor.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow, AllowChange, AllowHere } from '../../security/allow.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { normalizeName } from '../../validation/names.js';
import { PageScope } from './page-scope.js';
import { userAddress } from './addresses.js';
import { PersonForm, PersonQuery } from './pages.dto.js';
import { PersonReader } from './person.js';
import { ACTIONS, UserActions, kindIn, neededFor } from './user-actions.js';
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
    @Query(DtoPipe) { rp: domain, name, cursor, done }: PersonQuery,
    @CurrentAccount() account: Account,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserView> {
    const rp = this.scope.one(account, domain);
    const page = await this.persons.page(rp, { account, name, cursor, done });
    if (!page.known && page.flash === undefined) response.status(404);
    return page;
  }

  /** Does what a button says, and leads back to the page, which tells what came of it. */
  @Post()
  @Redirect('/userapi', 303)
  @AllowChange(neededFor)
  @Audited(({ body }) => ({ action: kindIn(body)?.audit ?? 'user.change', target: body?.name }))
  async act(
    @Body(DtoPipe) { rp: domain, name, action, confirm, ...form }: PersonForm,
    @RequestId() requestId: string,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<{ url: string }> {
    const rp = this.scope.one(account, domain);
    const key = action.endsWith('-key') ? (form.key ?? '') : undefined;
    Object.assign(note, { tenant: rp.tenant, relyingParty: rp.domain, target: name });
    const back = (done: string) => ({ url: userAddress(name, rp.domain, { done }) });
    if (ACTIONS[action].typed && normalizeName(confirm ?? '').trim() !== name) {
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
