import { Controller, Get, Query, Render, UseInterceptors } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { ApiExcludeController } from '../../http/openapi.js';
import { PageInterceptor } from '../../presentation/page.interceptor.js';
import { EventLog, behind } from '../../ledger/event-log.js';
import type { RecordedEvent } from '../../ledger/event-log.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow } from '../../security/allow.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { explainPage } from './explain.view.js';
import type { ExplainView } from './explain.view.js';
import { PageScope } from './page-scope.js';
import { ExplainQuery } from './pages.dto.js';

const LIMIT = 100;
const MINUTE_MS = 60_000;
/** What people call "at ten" may be some minutes before or after. */
const AROUND_MS = 10 * MINUTE_MS;

/** Why somebody was refused: by the request ID of the error message, or by about when it was. */
@ApiExcludeController()
@Allow('events:read')
@UseInterceptors(PageInterceptor)
@Controller('userapi/explain')
export class ExplainController {
  constructor(
    private readonly scope: PageScope,
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Render('explain')
  async show(
    @Query(DtoPipe) { request, at, rp: domain }: ExplainQuery,
    @CurrentAccount() account: Account,
  ): Promise<ExplainView> {
    const choices = this.scope.choices(account, domain);
    const asked = { request: request?.trim(), at: at ?? this.minute(), choices };
    if (asked.request !== undefined) {
      const found = await this.byRequest(asked.request, account);
      return explainPage({ account, asked, found, searched: true });
    }
    if (at === undefined) return explainPage({ account, asked, found: [], searched: false });
    const found = await this.byTime(Date.parse(`${at}Z`), account, domain);
    return explainPage({ account, asked, found, searched: true });
  }

  private async byRequest(request: string, account: Account) {
    return this.located(await this.log.ofRequest(request), account).slice(0, LIMIT);
  }

  private async byTime(at: number, account: Account, domain: string | undefined) {
    const before = behind(at + AROUND_MS + MINUTE_MS);
    const span = { from: at - AROUND_MS, before, limit: LIMIT };
    const rps = this.scope.some(account, domain);
    const found = await Promise.all(rps.map((rp) => this.log.refusalsOf(rp, span)));
    const newest = found.flat().sort((a, b) => b.at - a.at);
    return this.located(newest.slice(0, LIMIT), account);
  }

  /** With the domain of each; what the account may not see is left out. */
  private located(found: readonly RecordedEvent[], account: Account) {
    const visible = new Map(
      this.scope.visible(account).map(({ id, domain }) => [id.toString('hex'), domain]),
    );
    return found.flatMap((event) => {
      const domain = visible.get(event.relyingPartyId.toString('hex'));
      return domain === undefined ? [] : [{ event, domain }];
    });
  }

  /** Now, as the form writes it. */
  private minute(): string {
    return new Date(this.clock.now()).toISOString().slice(0, 16);
  }
}
