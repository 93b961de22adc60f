import { Controller, Post, UseGuards } from '@nestjs/common';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow } from '../../platform/access/allow.js';
import { FormGuard } from '../../platform/http/body/form-body.js';
import { ApiExcludeController } from '../../platform/http/openapi/openapi.js';
import {
  successBanner,
  LeadsToPage,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { FirstSteps } from './first-steps.js';

const HIDDEN = phrase('dashboard:first.hidden');

/** Hides the list of first steps. This does not change the server, so the trail has no row of it. */
@ApiExcludeController()
@UseGuards(FormGuard)
@Allow('tenants:change')
@Controller('console/first-steps')
export class FirstStepsController {
  constructor(private readonly steps: FirstSteps) {}

  @Post('_hide')
  @LeadsToPage()
  async hide(@CurrentAccount() account: Account): Promise<RedirectWithBanner> {
    await this.steps.hide(account);
    return { url: '/', banner: successBanner(HIDDEN) };
  }
}
