import { Body, Ip, Post } from '@nestjs/common';
import {
  Audited,
  CurrentCall,
  noteRelyingParty,
  type AuditedCall,
} from '../../../audit/audited.js';
import type { ErasureAuthor } from '../../../audit/erasure/audit-erasure.js';
import { RequestId } from '../../../platform/http/request-context.js';
import {
  successBanner,
  failureBanner,
  LeadsToPage,
  type RedirectWithBanner,
} from '../../../platform/pages/banners.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import { normalizeName } from '../../../platform/validation/values/names.js';
import { UserErasure } from '../../manage-users/user-erasure.js';
import { userAddress } from '../addresses.js';
import { PageScope } from '../page-scope.js';
import { UserChangeForm } from '../pages.dto.js';
import { UserActions } from '../user-actions.js';
import { PageController } from '../../../platform/pages/page.interceptor.js';

const UNCONFIRMED = failureBanner(phrase('users:notDone.unerased'));

/** Erases a user from stored data, at the user's request (GDPR article 17). */
@PageController('userapi/user/erasure', 'users:erase')
export class ErasurePageController {
  constructor(
    private readonly scope: PageScope,
    private readonly erasure: UserErasure,
    private readonly actions: UserActions,
  ) {}

  /** Redirects to the page of the pseudonym. The audit row of an erasure contains the pseudonym, not the name. */
  @Post()
  @LeadsToPage()
  @Audited('user.erase')
  async erase(
    @Body(DtoPipe) { rp: domain, name, confirm, user }: UserChangeForm,
    @RequestId() requestId: string,
    @Ip() address: string,
    @CurrentCall() { account, note }: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const rp = this.scope.one(account, domain);
    noteRelyingParty(note, rp);
    if (normalizeName(confirm ?? '').trim() !== name) {
      note.refused = true;
      return { url: userAddress(name, rp.domain), banner: UNCONFIRMED };
    }
    await this.actions.asShown(rp, name, user);
    const by: ErasureAuthor = { account: account.name, role: account.role, address, requestId };
    const { pseudonym, ...figures } = await this.erasure.erase(rp, name, by);
    note.target = pseudonym;
    note.detail = figures;
    const text = phrase('users:done.erased', {
      events: phrase('users:done.erasedEvents', { count: figures.events }),
      auditRows: phrase('users:done.erasedRows', { count: figures.auditRows }),
      pseudonym,
    });
    return { url: userAddress(pseudonym, rp.domain), banner: successBanner(text) };
  }
}
