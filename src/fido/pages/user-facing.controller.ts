import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiExcludeController } from '../../platform/http/openapi/openapi.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { UserFacingPages } from './user-facing-pages.js';
import type { UserFacingView } from './user-facing-pages.js';
import { themeOf } from './theme.js';
import { MayBeText } from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/rule.js';

/** Parameters of a page for users. */
class UserPageQuery {
  /** The domain. */
  @MayBeText(code('E0045R'))
  relyingParty?: string;
}

/** Pages for the users of relying parties. They have no account here, and are recognized by their keys. */
@ApiExcludeController()
@Controller()
export class UserFacingController {
  constructor(private readonly pages: UserFacingPages) {}

  /** The page of an invitation. Its code is in the fragment of the address, which browsers do not send. */
  @Get('enrol')
  @Page('enrol')
  enrol(@Query(DtoPipe) { relyingParty }: UserPageQuery): UserFacingView {
    return this.pages.view(this.pages.find(relyingParty), 'enrol');
  }

  /** The page of a person's own keys; applications link here and name their relying party in the address. */
  @Get('my-keys')
  @Page('my-keys')
  myKeys(@Query(DtoPipe) { relyingParty }: UserPageQuery): UserFacingView {
    return this.pages.view(this.pages.find(relyingParty), 'myKeys');
  }

  /** The colours of a relying party: the pages' Content-Security-Policy allows no inline styles. */
  @Get('theme.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', 'max-age=60')
  theme(@Query(DtoPipe) { relyingParty }: UserPageQuery): string {
    return themeOf(this.pages.find(relyingParty)?.colour ?? undefined);
  }
}
