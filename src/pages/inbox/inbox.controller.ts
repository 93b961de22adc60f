import { Controller, Get, Query } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow } from '../../platform/access/allow.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import {
  IsRowPosition,
  MayBeEmpty,
  MayBeText,
  Reads,
} from '../../platform/validation/decorators.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { KeyFindings } from '../../trust/findings/key-findings.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import { CopiedKeys, InboxService } from './inbox.service.js';
import { copiedKeysPage, inboxPage, ruleKeysPage } from './inbox.view.js';

const SHOWN = 50;

class FindingKeysQuery {
  @IsIn(['copied', 'rule'])
  kind!: 'copied' | 'rule';

  @MayBeText()
  rule?: string;

  @MayBeText()
  rp?: string;

  @MayBeEmpty()
  @Reads((text) => decodeBase64Url(text))
  @IsRowPosition()
  cursor?: Buffer;
}

@Allow('users:read')
@Controller('findings')
export class InboxController {
  constructor(
    private readonly inbox: InboxService,
    private readonly directory: RelyingPartyCache,
    private readonly copied: CopiedKeys,
    private readonly keyFindings: KeyFindings,
    private readonly models: AuthenticatorModels,
  ) {}

  @Get()
  @Page('inbox')
  async show(@CurrentAccount() account: Account) {
    const rps = this.directory.visibleTo(account);
    return inboxPage(await this.inbox.of(account, rps), account);
  }

  @Get('keys')
  @Page('finding-keys')
  async keys(
    @Query(DtoPipe) { kind, rule = '', rp: domain, cursor }: FindingKeysQuery,
    @CurrentAccount() account: Account,
  ) {
    const rps = this.directory.visibleTo(account);
    const first = cursor === undefined;
    if (kind === 'copied') {
      const { keys, next } = await this.copied.page(rps, SHOWN, cursor);
      return copiedKeysPage(keys, { account, first, next: next?.toString('base64url') });
    }
    const rp = rps.find((one) => one.domain === domain);
    if (!rp) throw new ApiError('E0044R', 'relyingParty.choose');
    const span = { after: cursor, limit: SHOWN };
    const { rows, next } = await this.keyFindings.pageOfRule(rp, rule, span);
    const nameOf = (aaguid: string) => this.models.name(aaguid);
    return ruleKeysPage(rp.domain, rule, rows, nameOf, { account, first, next });
  }
}
