import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { serverOptions } from '../../config/server-config.js';
import { demandedMode } from '../../fido/registration/registration-mode.js';
import { isDomain } from '../../validation/domain.js';
import { phrase } from '../../presentation/languages/phrase.js';
import type { PageView } from '../../presentation/page.view.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/tenant-directory.js';

/** A page for the users of a relying party: in its name and colour, without the administration's menu. */
export interface PeopleView extends PageView {
  /** `undefined` where the link names none that there is. */
  readonly relyingParty: { readonly domain: string; readonly name: string } | undefined;
  /** The layout has a head of its own for it. */
  readonly forPeople: true;
  /** Whether a new key needs a ticket, whoever asks for it. */
  readonly needsTicket: boolean;
}

const SCRIPTS = { enrol: 'enrol.js', myKeys: 'my-keys.js' };

/** What the pages for users have in common. */
@Injectable()
export class PeoplePages {
  constructor(
    private readonly directory: TenantDirectory,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /** @param domain as the link has it; without it the only relying party that there is */
  find(domain: string | undefined): RelyingParty | undefined {
    const { current } = this.directory;
    if (domain !== undefined) return isDomain(domain) ? current.find(domain) : undefined;
    const [first, second] = current.relyingParties;
    return second ? undefined : first;
  }

  /** @param page whose texts and script there are */
  view(rp: RelyingParty | undefined, page: 'enrol' | 'myKeys'): PeopleView {
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
