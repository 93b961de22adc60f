import { Controller, Get, Header, Query, Render, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '../../http/openapi.js';
import { PageInterceptor } from '../../presentation/page.interceptor.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { PeoplePages } from './people-page.js';
import type { PeopleView } from './people-page.js';
import { PeopleQuery } from './people.query.js';
import { themeOf } from './theme.js';

/** Pages for the users of relying parties. They have no account here, and are recognized by their keys. */
@ApiExcludeController()
@Controller()
export class PeopleController {
  constructor(private readonly pages: PeoplePages) {}

  /** The page of an invitation. Its code is in the fragment of the address, which browsers do not send. */
  @Get('enrol')
  @UseInterceptors(PageInterceptor)
  @Render('enrol')
  enrol(@Query(DtoPipe) { relyingParty }: PeopleQuery): PeopleView {
    return this.pages.view(this.pages.find(relyingParty), 'enrol');
  }

  /** The page of a person's own keys; applications link here and name their relying party in the address. */
  @Get('my-keys')
  @UseInterceptors(PageInterceptor)
  @Render('my-keys')
  myKeys(@Query(DtoPipe) { relyingParty }: PeopleQuery): PeopleView {
    return this.pages.view(this.pages.find(relyingParty), 'myKeys');
  }

  /** The colours of a relying party: the pages' Content-Security-Policy allows no inline styles. */
  @Get('theme.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', 'max-age=60')
  theme(@Query(DtoPipe) { relyingParty }: PeopleQuery): string {
    return themeOf(this.pages.find(relyingParty)?.colour ?? undefined);
  }
}
