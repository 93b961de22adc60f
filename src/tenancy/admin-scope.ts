import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import type { Request } from 'express';
import { serverOptions } from '../config/server-config.js';
import { ApiError } from '../errors/api-error.js';
import type { Account } from '../security/account.js';
import type { RelyingParty } from './relying-party.js';
import { RP_HEADER } from './relying-party-finder.js';
import { TenantDirectory } from './tenant-directory.js';
import { resolveVisible, visibleTo } from './visible.js';

const HEADER = 'X-ServiceFido-RelyingParty';

/**
 * The relying parties that a call of the administration is about. Unlike the FIDO calls it does not
 * look at `Origin`: that is the administration's own page.
 */
@Injectable()
export class AdminScope {
  constructor(
    private readonly directory: TenantDirectory,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /**
   * The one that the header names or else `--domain`; without both, all that the account may see.
   *
   * @returns in the order of their domains
   * @throws ApiError as `resolveVisible`
   */
  all(account: Account, { headers }: Pick<Request, 'headers'>): readonly RelyingParty[] {
    const directory = this.directory.current;
    const header = headers[RP_HEADER]?.toString();
    const { domain, listDomains } = this.options;
    if (header === undefined && domain === undefined) {
      const visible = visibleTo(account, directory);
      return [...visible.relyingParties].sort((a, b) => (a.domain < b.domain ? -1 : 1));
    }
    const hints = { header, domain, origin: undefined };
    return [resolveVisible(account, hints, { directory, listDomains })];
  }

  /**
   * The one relying party of a call that changes something.
   *
   * @throws ApiError as `all`, and E0025R where none is named and the account may see several
   */
  one(account: Account, request: Pick<Request, 'headers'>): RelyingParty {
    const all = this.all(account, request);
    const [first, second] = all;
    if (first && !second) return first;
    const body = this.options.listDomains ? { domains: all.map(({ domain }) => domain) } : {};
    throw new ApiError('E0025R', `Name one relying party in the header ${HEADER}.`, { body });
  }
}
