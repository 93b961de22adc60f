import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { serverOptions } from '../../platform/config/server-config.js';
import { demandedMode } from '../registration/registration-mode.js';
import { isDomain } from '../../platform/validation/values/domain.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { PageView } from '../../platform/pages/page.view.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';

/** A page for a relying party's users, with its name and colour, and without the administration's menu. */
export interface UserFacingView extends PageView {
  /** `undefined` if the link names none, or one that does not exist. */
  readonly relyingParty: { readonly domain: string; readonly name: string } | undefined;
  /** Makes the layout show the head of such pages. */
  readonly forPeople: true;
  /** Whether every new key needs a ticket. */
  readonly needsTicket: boolean;
}

const SCRIPTS = { enrol: 'enrol.js', myKeys: 'my-keys.js' };

/** What pages for users have in common. */
@Injectable()
export class UserFacingPages {
  constructor(
    private readonly directory: TenantDirectory,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /** @param domain the one in the link; without one, the only relying party is meant */
  find(domain: string | undefined): RelyingParty | undefined {
    const { current } = this.directory;
    if (domain !== undefined) return isDomain(domain) ? current.find(domain) : undefined;
    const [first, second] = current.relyingParties;
    return second ? undefined : first;
  }

  /** @param page names the page's texts and its script */
  view(rp: RelyingParty | undefined, page: 'enrol' | 'myKeys'): UserFacingView {
    return {
      texts: 'people',
      title: phrase(`people:${page}.title`),
      relyingParty: rp && { domain: rp.domain, name: rp.name },
      forPeople: true,
      needsTicket: rp !== undefined && demandedMode(rp, this.options) === 'ticket',
      styles: [
        '/static/css/people.css',
        ...(rp?.colour ? [`/theme.css?relyingParty=${rp.domain}`] : []),
      ],
      scripts: [`/static/js/people/${SCRIPTS[page]}`],
    };
  }
}
