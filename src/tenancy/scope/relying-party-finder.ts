import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import type { Request } from 'express';
import { serverOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { accountOf } from '../../platform/access/accounts/account.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { originAllowed } from '../../webauthn/origin.js';
import type { RelyingParty } from '../relying-party.js';
import { domainOfHeader, resolveRelyingParty } from './resolve.js';
import { TenantDirectory } from './tenant-directory.js';
import { resolveCovered } from './visible-tenants.js';

export const RP_HEADER = 'x-servicefido-relyingparty';

/** Finds the relying party of one of the four calls. */
@Injectable()
export class RelyingPartyFinder {
  constructor(
    private readonly directory: TenantDirectory,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /**
   * The relying party of one of the four calls: of an application, among those that its key covers.
   *
   * @throws ApiError E0025R or E0026R; E0043R for one that takes calls of applications alone, and as
   *   `resolveCovered`
   */
  find(request: Request): RelyingParty {
    const { headers, res } = request;
    const account = accountOf(request);
    if (account?.key) return this.findCovered(account, headers[RP_HEADER]?.toString());
    const { origin } = headers;
    const rp = resolveRelyingParty(
      { header: headers[RP_HEADER]?.toString(), domain: this.options.domain, origin },
      this.directory.current,
      this.options.listDomains,
    );
    if (origin !== undefined && !originAllowed(origin, rp.origins)) {
      // A page of another relying party: it may not read what this one answers.
      res?.removeHeader('Access-Control-Allow-Origin');
    }
    if (rp.policy.callers === 'keys') throw new ApiError('E0043R', 'relyingParty.keysOnly');
    return rp;
  }

  private findCovered(account: Account, header: string | undefined): RelyingParty {
    const { domain, listDomains } = this.options;
    const named = header === undefined ? domain : domainOfHeader(header);
    return resolveCovered(account, named, { directory: this.directory.current, listDomains });
  }
}
