import { Controller, Get, Header, Post, UseGuards, applyDecorators } from '@nestjs/common';
import { FormGuard } from '../../platform/http/body/request-body.js';
import {
  LeadsToPage,
  successBanner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { csvOf, type CsvDialect } from '../../platform/pages/csv.js';
import { ForSpreadsheet } from '../../platform/pages/represent.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow, AllowHere } from '../../platform/access/allow.js';
import { AnswersFile } from '../../platform/access/unknown-names.interceptor.js';
import { OwnOrigin } from '../../platform/common/from-request.js';
import { DashboardCounts } from './dashboard-counts.js';
import { FirstSteps } from './first-steps.js';
import { DashboardService } from './dashboard.service.js';
import { dashboardPage } from './dashboard.view.js';

/** Answers with a CSV file that browsers save and caches do not store. */
const CsvFile = () =>
  applyDecorators(
    AnswersFile(),
    Header('Content-Type', 'text/csv; charset=utf-8'),
    Header('Content-Disposition', 'attachment'),
    Header('Cache-Control', 'no-store'),
  );

@Allow('dashboard:read')
@Controller()
export class DashboardController {
  constructor(
    private readonly dashboard: DashboardService,
    private readonly counts: DashboardCounts,
    private readonly steps: FirstSteps,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @Page('dashboard')
  async show(@CurrentAccount() account: Account, @OwnOrigin() origin: string) {
    const view = dashboardPage(await this.dashboard.figures(account));
    return { ...view, firstSteps: await this.steps.of(account, origin) };
  }

  /** Hides the list of first steps. This does not change the server, so the trail has no row of it. */
  @Post('console/first-steps/_hide')
  @AllowHere('tenants:change')
  @UseGuards(FormGuard)
  @LeadsToPage()
  async hide(@CurrentAccount() account: Account): Promise<RedirectWithBanner> {
    await this.steps.hide(account);
    return { url: '/', banner: successBanner(phrase('dashboard:first.hidden')) };
  }

  @Get('dashboard/days.csv')
  @CsvFile()
  async days(
    @CurrentAccount() account: Account,
    @ForSpreadsheet() dialect: CsvDialect | undefined,
  ): Promise<string> {
    const days = await this.counts.days(this.dashboard.scopeOf(account));
    return csvOf(
      ['date', 'registrations', 'signIns'],
      days.map(({ date, registrations, authentications }) => [
        date,
        registrations,
        authentications,
      ]),
      dialect,
    );
  }

  @Get('dashboard/refusals.csv')
  @CsvFile()
  async refusals(
    @CurrentAccount() account: Account,
    @ForSpreadsheet() dialect: CsvDialect | undefined,
  ): Promise<string> {
    const rows = await this.counts.refusals(this.dashboard.scopeOf(account));
    return csvOf(
      ['reason', 'code', 'refusals'],
      rows.map(({ reason, code, n }) => [
        typeof reason === 'string' ? reason : plainText(dialect?.language ?? 'en', reason),
        code,
        n,
      ]),
      dialect,
    );
  }

  @Get('dashboard/models.csv')
  @CsvFile()
  async models(
    @CurrentAccount() account: Account,
    @ForSpreadsheet() dialect: CsvDialect | undefined,
  ): Promise<string> {
    const rows = await this.counts.modelsInUse(this.dashboard.scopeOf(account));
    return csvOf(
      ['model', 'aaguid', 'keys'],
      rows.map(({ model, aaguid, n }) => [model, aaguid, n]),
      dialect,
    );
  }
}
