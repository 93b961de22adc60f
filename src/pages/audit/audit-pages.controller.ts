import { Post, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { AllowHere } from '../../platform/access/allow.js';
import { FormGuard } from '../../platform/http/body/request-body.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import {
  LeadsToPage,
  failureBanner,
  successBanner,
  type Banner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { PageController } from '../../platform/pages/page.interceptor.js';
import { auditParameters } from '../../audit/audit.dto.js';
import { AuditVerifier, type ChainVerdict } from '../../audit/chain/audit-verifier.js';
import { searchOf } from './audit.view.js';

/** How long a verification for a page may take. */
const LONGEST_MS = 10_000;

/** The forms of the audit page. */
@PageController('userapi/audit', 'audit:read')
@UseGuards(FormGuard)
export class AuditPagesController {
  /** The running verification, which simultaneous requests share. */
  private verifying: Promise<ChainVerdict> | undefined;

  constructor(private readonly verifier: AuditVerifier) {}

  /** Verifies the trail of all tenants, and redirects to the page that was shown, which shows the verdict. */
  @Post('verify')
  @AllowHere('audit:read', { allTenants: true })
  @LeadsToPage()
  async verify(@CurrentRequest() { query }: Request): Promise<RedirectWithBanner> {
    this.verifying ??= this.verifier
      .verify(undefined, performance.now() + LONGEST_MS)
      .finally(() => (this.verifying = undefined));
    const url = `/userapi/audit${searchOf(auditParameters(query))}`;
    return { url, banner: verdictBanner(await this.verifying) };
  }
}

function verdictBanner({ good, fault, isPartial, sealed }: ChainVerdict): Banner {
  if (fault !== undefined) return failureBanner(phrase('audit:verify.fault', { good, fault }));
  if (isPartial) return successBanner(phrase('audit:verify.partial', { count: good }));
  if (!sealed) return successBanner(phrase('audit:verify.unsealed', { count: good }));
  const from = sealed.from?.seq ?? 1;
  return successBanner(phrase('audit:verify.sealed', { count: good, from }));
}
