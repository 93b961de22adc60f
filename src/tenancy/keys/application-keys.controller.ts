import { Body, Controller, Delete, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import { FreshSignInGuard } from '../../platform/access/fresh-sign-in.guard.js';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { JsonGuard } from '../../platform/http/body/request-body.js';
import { ok } from '../../platform/http/ok.js';
import { IfMatch, type ExpectedTags } from '../../platform/http/versions.js';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow, AllowHere } from '../../platform/access/allow.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { RelyingPartyCache } from '../scope/relying-party-cache.js';
import { IssuedKeyAnswer, KeyAnswer, KeyListAnswer, keyView } from './application-key.answer.js';
import { IssueKeyDto, ListKeysQuery } from './application-key.dto.js';
import type { ApplicationKey } from './application-key.entity.js';
import { ApplicationKeys, keyVersion } from './application-keys.js';

const ID = { example: 'Zk3Cq0mN1rUe4uXb8yT2Pg', description: 'ID of the application key' };

@ForAudience('administrator', { id: ID })
@UseGuards(JsonGuard)
@Allow('application-keys:change')
@Controller('tenantapi/keys')
export class ApplicationKeysController {
  constructor(
    private readonly keys: ApplicationKeys,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  @Get()
  @AllowHere('application-keys:read')
  @Operation('listApplicationKeys', 'Lists application keys', {
    answers: KeyListAnswer,
    refuses: ['E0044R'],
  })
  async list(@CurrentAccount() account: Account, @Query(DtoPipe) query: ListKeysQuery) {
    const keys = await this.keys.list(account, query);
    return ok({ keys: keys.map((key) => this.viewOf(key)) });
  }

  @Post()
  @Audited(
    ({ body }) => ({
      action: 'application-key.issue',
      tenant: body?.tenant,
      target: body?.name,
    }),
    { guards: [FreshSignInGuard] },
  )
  @Operation('issueApplicationKey', 'Issues an application key; its secret is shown only once', {
    answers: IssuedKeyAnswer,
    refusesMisspeltNames: true,
    versionOf: ({ key }) => keyVersion(key),
    refuses: ['E0043R', 'E0044R'],
  })
  async issue(@Body(DtoPipe) dto: IssueKeyDto, @CurrentCall() call: AuditedCall) {
    const { key, secret } = await this.keys.issue(call, dto);
    return { ...this.answerOf(key), secret };
  }

  @Get(':id')
  @AllowHere('application-keys:read')
  @Operation('readApplicationKey', 'Shows an application key without its secret', {
    answers: KeyAnswer,
    versionOf: ({ key }) => keyVersion(key),
    refuses: ['E0044R'],
  })
  async read(@Param('id') id: string, @CurrentAccount() account: Account) {
    return this.answerOf(await this.keys.find(account, id));
  }

  @Delete(':id')
  @Audited('application-key.revoke', { target: 'id' })
  @Operation(
    'revokeApplicationKey',
    'Revokes an application key: no instance accepts it any longer',
    {
      answers: KeyAnswer,
      refuses: ['E0044R', 'E0053R'],
    },
  )
  async revoke(
    @Param('id') id: string,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.answerOf(await this.keys.revoke(call, id, expected));
  }

  private viewOf(key: Required<ApplicationKey>) {
    return keyView(key, this.relyingParties.current);
  }

  private answerOf(key: Required<ApplicationKey>) {
    return ok({ key: this.viewOf(key) });
  }
}
