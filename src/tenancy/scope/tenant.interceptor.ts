import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import type { ConfigType } from '@nestjs/config';
import { fromRequest } from '../../platform/common/from-request.js';
import { Refuses } from '../../platform/errors/refusals.js';
import type { RelyingParty } from '../relying-party.js';
import { serverOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { accountOf, type Account } from '../../platform/access/accounts/account.js';
import { originAllowed } from '../../webauthn/origin.js';
import { domainOfHeader, resolveRelyingParty } from './resolve.js';
import { TenantDirectory } from './tenant-directory.js';
import { resolveCovered } from './visible-tenants.js';

export const RP_HEADER = 'x-servicefido-relyingparty';

@Injectable()
export class RelyingPartyFinder {
  constructor(
    private readonly directory: TenantDirectory,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /**
   * Finds the relying party of one of the four calls; for an application, among those that its key
   * covers.
   *
   * @throws ApiError E0025R or E0026R; E0043R for one that accepts only calls by applications, and as
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
      // A page of another relying party may not read this one's answer.
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

declare module 'express-serve-static-core' {
  interface Request {
    /** The relying party of the request; set by the tenant interceptor. */
    relyingParty?: RelyingParty;
  }
}

/**
 * Finds the tenant and relying party of a call, in the order of the interface: the header
 * X-ServiceFido-RelyingParty, `--domain`, `Origin`. Nest runs it after the guards and before the pipes,
 * so an unknown relying party is reported before a malformed body.
 */
@Injectable()
@Refuses('E0025R', 'E0026R', 'E0043R')
export class TenantInterceptor implements NestInterceptor {
  constructor(private readonly relyingParties: RelyingPartyFinder) {}

  /** @throws ApiError as `RelyingPartyFinder.find` */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    request.relyingParty = this.relyingParties.find(request);
    return next.handle();
  }
}

/**
 * The relying party of the call; requires the tenant interceptor. In an administration call, which
 * requires the scope interceptor, it is the only one.
 *
 * @throws ApiError E0025R for an administration call that names none of several
 */
export const CurrentRp = fromRequest(({ relyingParty, scope }) => {
  const rp = relyingParty ?? scope?.one();
  if (rp === undefined) throw new Error('no tenant interceptor runs before this call');
  return rp;
});
