import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { atRelyingParty } from '../../audit/request-rows.js';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow } from '../../platform/access/allow.js';
import { CurrentReader } from '../../platform/access/limits/current-reader.js';
import { AnswersFile } from '../../platform/access/unknown-names.interceptor.js';
import type { Reader } from '../../platform/common/turns/read-turns.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { csvFile } from '../../platform/http/text-file.js';
import type { CsvDialect } from '../../platform/pages/csv.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import { ForSpreadsheet } from '../../platform/pages/represent.js';
import {
  IsRowPosition,
  MayBeEmpty,
  MayBeText,
  Reads,
} from '../../platform/validation/decorators.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { KeyFindings } from '../../trust/findings/key-findings.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import { CopiedKeys } from './copied-keys.js';
import { InboxService } from './inbox.service.js';
import { ruleKeysFile } from './rule-keys-file.js';
import { copiedKeysPage, inboxPage, ruleKeysPage } from './inbox.view.js';

const SHOWN = 50;

class InboxQuery {
  /** Those that are handled, instead of the open ones. */
  @MayBeEmpty()
  @IsIn(['past'])
  state?: 'past';
}

class RuleKeysQuery {
  @MayBeText()
  rule?: string;

  @MayBeText()
  rp?: string;
}

class FindingKeysQuery extends RuleKeysQuery {
  @IsIn(['copied', 'rule'])
  kind!: 'copied' | 'rule';

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
    private readonly relyingParties: RelyingPartyCache,
    private readonly copied: CopiedKeys,
    private readonly keyFindings: KeyFindings,
    private readonly models: AuthenticatorModels,
  ) {}

  @Get()
  @Page('inbox')
  async show(@Query(DtoPipe) { state }: InboxQuery, @CurrentAccount() account: Account) {
    const rps = this.relyingParties.visibleTo(account);
    return inboxPage(await this.inbox.of(account, rps, state === 'past'), account);
  }

  @Get('keys')
  @Page('finding-keys')
  async keys(
    @Query(DtoPipe) { kind, rule = '', rp: domain, cursor }: FindingKeysQuery,
    @CurrentAccount() account: Account,
  ) {
    const rps = this.relyingParties.visibleTo(account);
    const first = cursor === undefined;
    if (kind === 'copied') {
      const { keys, next } = await this.copied.page(rps, SHOWN, cursor);
      return copiedKeysPage(keys, { account, first, next: next?.toString('base64url') });
    }
    const rp = this.visible(account, domain);
    const span = { after: cursor, limit: SHOWN };
    const [{ rows, next }, count] = await Promise.all([
      this.keyFindings.pageOfRule(rp, rule, span),
      this.keyFindings.count(rp, rule),
    ]);
    return ruleKeysPage(count, rows, this.nameOf, { account, first, next });
  }

  /** A CSV file of all keys that break a rule. */
  @Get('keys.csv')
  @AnswersFile()
  @Audited('users.export')
  file(
    @Query(DtoPipe) { rule = '', rp: domain }: RuleKeysQuery,
    @CurrentCall() { account, about }: AuditedCall,
    @CurrentReader() reader: Reader,
    @ForSpreadsheet() dialect: CsvDialect | undefined,
  ): StreamableFile {
    const rp = this.visible(account, domain);
    about({ ...atRelyingParty(rp), detail: { rule } });
    const keys = { findings: this.keyFindings, rp, rule, nameOf: this.nameOf };
    return csvFile(reader, 'keys.csv', ruleKeysFile(keys, dialect));
  }

  private readonly nameOf = (aaguid: string) => this.models.name(aaguid);

  /** @throws ApiError E0044R if the account sees no relying party with this domain */
  private visible(account: Account, domain: string | undefined): RelyingParty {
    const rp = this.relyingParties.visibleTo(account).find((one) => one.domain === domain);
    if (rp) return rp;
    throw new ApiError('E0044R', 'relyingParty.choose');
  }
}
