import { Body, Controller, Ip, Post } from '@nestjs/common';
import { Audited, CurrentNote } from '../../audit/audited.js';
import type { AuditNote } from '../../audit/audit-trail.js';
import type { Eraser } from '../../audit/erasure/audit-erasure.js';
import { ApiExcludeController } from '../../http/openapi.js';
import { RequestId } from '../../http/request-context.js';
import { done, notDone } from '../../presentation/banner.js';
import type { Led } from '../../presentation/banner.js';
import { phrase } from '../../presentation/languages/phrase.js';
import { LeadsToPage } from '../../presentation/leads-to.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow } from '../../security/allow.js';
import { TenantDirectory } from '../../tenancy/tenant-directory.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { normalizeName } from '../../validation/names.js';
import { PersonErasure } from '../erasure/person-erasure.js';
import { userAddress } from './addresses.js';
import { PageScope } from './page-scope.js';
import { ErasureForm } from './pages.dto.js';

const UNCONFIRMED = notDone(phrase('users:notDone.unerased'));

/** Erases a person from all that is kept, at the person's request (GDPR article 17). */
@ApiExcludeController()
@Allow('users:erase')
@Controller('userapi/user/erasure')
export class ErasurePageController {
  constructor(
    private readonly scope: PageScope,
    private readonly directory: TenantDirectory,
    private readonly persons: PersonErasure,
  ) {}

  /** Leads to the page of the pseudonym. The audit row of an erasure holds the pseudonym, not the name. */
  @Post()
  @LeadsToPage()
  @Audited('user.erase')
  async erase(
    @Body(DtoPipe) { rp: domain, name, confirm }: ErasureForm,
    @RequestId() requestId: string,
    @Ip() address: string,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<Led> {
    const rp = this.scope.one(account, domain);
    Object.assign(note, { tenant: rp.tenant, relyingParty: rp.domain });
    if (normalizeName(confirm ?? '').trim() !== name) {
      note.refused = true;
      return { url: userAddress(name, rp.domain), banner: UNCONFIRMED };
    }
    const by: Eraser = { account: account.name, role: account.role, address, requestId };
    const { pseudonym, ...figures } = await this.persons.erase(
      this.directory.current.withPredecessor(rp),
      name,
      by,
    );
    Object.assign(note, { target: pseudonym, detail: figures });
    const { events, auditRows } = figures;
    const text = phrase('users:done.erased', { events, auditRows, pseudonym });
    return { url: userAddress(pseudonym, rp.domain), banner: done(text) };
  }
}
