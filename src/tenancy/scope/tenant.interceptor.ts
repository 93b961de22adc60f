import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { fromRequest } from '../../platform/common/from-request.js';
import { Refuses } from '../../platform/errors/refusals.js';
import type { RelyingParty } from '../relying-party.js';
import { RelyingPartyFinder } from './relying-party-finder.js';

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
