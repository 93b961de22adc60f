import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { PRODUCT_VERSION } from '../../platform/project.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import { accountOf, type Account } from '../../platform/access/accounts/account.js';
import { OptionalCallerGuard } from '../../platform/access/caller.guard.js';
import { may } from '../../platform/access/permissions.js';
import { StatusService } from './status.service.js';

@Controller()
export class StatusController {
  constructor(private readonly status: StatusService) {}

  /** The status page: for everybody the health, for accounts the features, and the server's setup if they may see it. */
  @Get('status')
  @UseGuards(OptionalCallerGuard)
  @Header('Cache-Control', 'no-store')
  @Page('status')
  async show(@CurrentRequest() request: Request) {
    const account = accountOf(request);
    const health = await this.status.health();
    if (account === undefined) return health;
    return {
      ...health,
      ...this.status.forAccount(health.checks),
      ...(seesSetup(account) && { operator: await this.status.forOperator() }),
    };
  }

  @Get('getversion')
  @Page('version')
  version() {
    return {
      title: phrase('status:version.title'),
      texts: 'status',
      facts: [
        { name: 'ServiceFido', value: PRODUCT_VERSION },
        { name: phrase('status:version.standards'), value: phrase('status:version.followed') },
      ],
    };
  }
}

/** Whether an account may see the server's setup: it is not limited to some tenants. */
const seesSetup = (account: Account): boolean =>
  account.tenants === undefined && may(account, 'setup:read');
