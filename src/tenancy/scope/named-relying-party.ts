import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { serverOptions } from '../../platform/config/server-config.js';
import type { RelyingParty } from '../relying-party.js';
import type { AdminScope } from './scope.interceptor.js';
import { TenantDirectory } from './tenant-directory.js';
import { resolveVisible } from './visible-tenants.js';

/** Finds the relying party of calls that may name it in a parameter, too. */
@Injectable()
export class NamedRelyingParty {
  constructor(
    private readonly directory: TenantDirectory,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /**
   * The one of this domain; without a domain, that of the header, `--domain`, or the only one.
   *
   * @throws ApiError as `resolveVisible` and `AdminScope.one`
   */
  find(domain: string | undefined, scope: AdminScope): RelyingParty {
    if (domain === undefined) return scope.one();
    const hints = { header: domain, domain: undefined, origin: undefined };
    const { listDomains } = this.options;
    const directory = this.directory.current;
    return resolveVisible(scope.account, hints, { directory, listDomains });
  }
}
