import {
  Controller,
  Get,
  Param,
  Post,
  Query,
  Redirect,
  Render,
  Req,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExcludeController } from '../../http/openapi.js';
import { CheckedBody } from '../../validation/body.pipe.js';
import type { Request } from 'express';
import { Audited } from '../../audit/audited.js';
import { FormGuard } from '../../http/form-body.js';
import { PageInterceptor } from '../../presentation/page.interceptor.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow, AllowHere } from '../../security/allow.js';
import { ChangeRelyingPartyDto } from '../../tenancy/tenancy.dto.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { VisibleTenantGuard } from '../../tenancy/visible.js';
import { faultsIn } from '../../validation/dto.pipe.js';
import { linesIn, textIn } from './form.js';
import { enteredIn, policyOf } from './policy-form.js';
import { TenantPages } from './tenant-pages.js';
import type { FormPage } from './tenant-pages.js';
import { addressOf } from './tenants.view.js';

/** The parameters of the address. */
interface Place {
  readonly tenant: string;
  readonly domain: string;
}

/** One relying party for people: its name, its origins, its policy. */
@ApiExcludeController()
@UseGuards(VisibleTenantGuard)
@Allow('tenants:change')
@Controller('tenants/:tenant/:domain')
export class RelyingPartyController {
  constructor(
    private readonly pages: TenantPages,
    private readonly tenancy: TenancyService,
  ) {}

  @Get()
  @AllowHere('tenants:read')
  @UseInterceptors(PageInterceptor)
  @Render('relying-party')
  show(
    @Param() { tenant, domain }: Place,
    @CurrentAccount() account: Account,
    @Query('done') done?: unknown,
  ) {
    return this.pages.relyingParty(tenant, domain, { account, done });
  }

  /** Name, origins and the whole policy at once, as they stand in the form. */
  @Post()
  @Redirect('/tenants', 303)
  @UseGuards(FormGuard)
  @Audited('relying-party.change')
  async change(
    @Param() place: Place,
    @CheckedBody() body: unknown,
    @Req() request: Request,
    @CurrentAccount() account: Account,
  ): Promise<{ url: string }> {
    const { tenant, domain } = place;
    const name = textIn(body, 'name');
    const origins = [...linesIn(body, 'origins')];
    const { policy, faults } = policyOf(enteredIn(body));
    const all = { ...faultsIn(ChangeRelyingPartyDto, { name, origins }), ...faults };
    const form = { page: this.page(place), faults: all, taken: 'origins' };
    await this.pages.submit({ request, account }, form, () =>
      this.tenancy.changeRelyingParty(account, tenant, domain, { name, origins, policy }),
    );
    return { url: `${addressOf(tenant, domain)}?done=saved` };
  }

  @Post('remove')
  @Redirect('/tenants', 303)
  @UseGuards(FormGuard)
  @Audited('relying-party.remove')
  async remove(
    @Param() place: Place,
    @CheckedBody() body: unknown,
    @Req() request: Request,
    @CurrentAccount() account: Account,
  ): Promise<{ url: string }> {
    const { tenant, domain } = place;
    const confirmed = textIn(body, 'confirm') === domain;
    const faults = confirmed ? {} : { confirm: `Type ${domain} to confirm. Nothing was deleted.` };
    await this.pages.submit({ request, account }, { page: this.page(place), faults }, () =>
      this.tenancy.removeRelyingParty(tenant, domain),
    );
    return { url: `${addressOf(tenant)}?done=party-removed` };
  }

  private page({ tenant, domain }: Place): FormPage {
    return {
      template: 'relying-party',
      view: (visit) => this.pages.relyingParty(tenant, domain, visit),
    };
  }
}
