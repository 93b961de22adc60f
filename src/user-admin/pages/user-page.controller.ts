import { Body, Controller, Get, Post, Query, Render, Res, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '../../http/openapi.js';
import { RequestId } from '../../http/request-context.js';
import type { Response } from 'express';
import { Audited, CurrentNote } from '../../audit/audited.js';
import type { AuditNote, AuditedPerson } from '../../audit/audit-trail.js';
import type { AuditDetail } from '../../audit/audit-row.js';
import type { FoundUser } from '../../credentials/user-rows.js';
import { done, notDone } from '../../presentation/banner.js';
import type { Banner, Led } from '../../presentation/banner.js';
import { AfterChange } from '../../presentation/banners.js';
import { phrase } from '../../presentation/languages/phrase.js';
import { LeadsToPage } from '../../presentation/leads-to.js';
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
import { ACTIONS, UserActions, deletes, kindIn, neededFor } from './user-actions.js';
import type { UserView } from './user.view.js';

const UNCHANGED = notDone(phrase('users:notDone.unchanged'));
const UNCONFIRMED = notDone(phrase('users:notDone.undeleted'));

/** The page of one person: the keys, what can be done to them, and what happened. */
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
    @Query(DtoPipe) { rp: domain, name, cursor }: PersonQuery,
    @CurrentAccount() account: Account,
    @AfterChange() led: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserView> {
    const rp = this.scope.one(account, domain);
    const page = await this.persons.page(rp, { account, name, cursor });
    if (!page.known && !led) response.status(404);
    return page;
  }

  /** Does what a button says, and leads back to the page, which shows the outcome. */
  @Post()
  @LeadsToPage()
  @AllowChange(neededFor)
  @Audited(({ body }) => ({ action: kindIn(body)?.audit ?? 'user.change', target: body?.name }))
  async act(
    @Body(DtoPipe) { rp: domain, name, action, confirm, ...form }: PersonForm,
    @RequestId() requestId: string,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<Led> {
    const rp = this.scope.one(account, domain);
    const key = action.endsWith('-key') ? (form.key ?? '') : undefined;
    Object.assign(note, { tenant: rp.tenant, relyingParty: rp.domain, target: name });
    const back = (banner: Banner): Led => ({ url: userAddress(name, rp.domain), banner });
    const reason = form.reason?.trim();
    if (ACTIONS[action].typed && normalizeName(confirm ?? '').trim() !== name) {
      Object.assign(note, { detail: { credentials: 0, confirmed: false }, refused: true });
      return back({ ...UNCONFIRMED, typed: { reason: reason ?? '' } });
    }
    const facts = { ...(key !== undefined && { device: key }), ...(reason && { reason }) };
    const keeping = { account: account.name, reason, occasion: requestId };
    const rows: AuditedPerson[] = [];
    for (const user of await this.actions.everywhere(rp, [name])) {
      const one = { requestId, keeping, ...(key !== undefined && { key }) };
      const touched = await this.actions.apply(action, user, one);
      if (touched) rows.push(rowOf(user, { credentials: touched.length, ...facts }));
    }
    if (rows.length > 0) note.each = rows;
    else note.detail = { credentials: 0, ...facts };
    if (rows.length === 0) return back(UNCHANGED);
    const undo = deletes(action) ? { occasion: requestId, name, rp: rp.domain } : undefined;
    return back({ ...done(phrase(`users:done.${action}`)), ...(undo && { undo }) });
  }
}

/** The audit row of a changed user at one relying party. */
const rowOf = (
  { username: target, relyingParty: { tenant, domain } }: FoundUser,
  detail: AuditDetail,
): AuditedPerson => ({ tenant, relyingParty: domain, target, detail });
