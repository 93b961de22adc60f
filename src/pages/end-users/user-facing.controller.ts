import { Controller, Get, Header, Inject, Query } from '@nestjs/common';
import { Page } from '../../platform/pages/page.interceptor.js';
import { userFacingFrame } from '../../platform/pages/page.view.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { MayBeText } from '../../platform/validation/decorators.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { demandedMode } from '../../fido/registration/registration-permission.js';
import { isDomain } from '../../platform/validation/values/domain.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { themeStyles } from './theme.js';

const SCRIPTS = { enrol: 'enrol.js', myKeys: 'my-keys.js' };

class UserPageQuery {
  /** The domain. */
  @MayBeText()
  relyingParty?: string;
}

/** Pages for the users of relying parties. Users have no account here; they are recognized by their keys. */
@Controller()
export class UserFacingController {
  constructor(
    private readonly relyingParties: RelyingPartyCache,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /** The page of an invitation. Its code is in the fragment of the address, which browsers do not send. */
  @Get('enrol')
  @Page('enrol')
  enrol(@Query(DtoPipe) query: UserPageQuery) {
    return this.view(query, 'enrol');
  }

  /** The page of a user's own keys; applications link here and name their relying party in the address. */
  @Get('my-keys')
  @Page('my-keys')
  myKeys(@Query(DtoPipe) query: UserPageQuery) {
    return this.view(query, 'myKeys');
  }

  /** The colours of a relying party: the pages' Content-Security-Policy allows no inline styles. */
  @Get('theme.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', 'max-age=60')
  theme(@Query(DtoPipe) query: UserPageQuery): string {
    return themeStyles(this.find(query)?.colour ?? undefined);
  }

  /** The relying party in the link; without one, the only relying party. */
  private find({ relyingParty: domain }: UserPageQuery): RelyingParty | undefined {
    const { current } = this.relyingParties;
    if (domain !== undefined) return isDomain(domain) ? current.find(domain) : undefined;
    const [first, second] = current.all;
    return second ? undefined : first;
  }

  /**
   * A page with the name and the colour of the relying party, if there is one, and without the console's menu.
   *
   * @param page selects the page's texts and script
   */
  private view(query: UserPageQuery, page: keyof typeof SCRIPTS) {
    const rp = this.find(query);
    return {
      ...userFacingFrame(phrase(`userFacing:${page}.title`), rp),
      /** Whether every new key needs a ticket. */
      needsTicket: rp !== undefined && demandedMode(rp, this.options) === 'ticket',
      scripts: [`/static/js/user-facing/${SCRIPTS[page]}`],
    };
  }
}
