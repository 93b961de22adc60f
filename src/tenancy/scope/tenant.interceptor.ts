import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { accountOf } from '../../platform/access/accounts/account.js';
import { fromRequest } from '../../platform/common/from-request.js';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import { originAllowed } from '../../webauthn/origin.js';
import type { RelyingParty } from '../relying-party.js';
import { RelyingPartyFinder } from './relying-party-finder.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The relying party of the request; set by the tenant interceptor, for SCIM and Entra ID by their guards. */
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

  /** @throws ApiError as `RelyingPartyFinder.find`; E0043R for a relying party that accepts only applications */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const rp = this.relyingParties.find(request);
    const isApplication = accountOf(request)?.key !== undefined;
    if (!isApplication) {
      const { origin } = request.headers;
      // A page of another relying party may not read this one's answer.
      if (origin !== undefined && !originAllowed(origin, rp.origins)) {
        http.getResponse<Response>().removeHeader('Access-Control-Allow-Origin');
      }
      if (rp.policy.callers === 'keys') throw new ApiError('E0043R', 'relyingParty.keysOnly');
    }
    request.relyingParty = rp;
    return next.handle();
  }
}

/**
 * The relying party of the call; requires the tenant interceptor. In an administration call, which
 * requires the scope interceptor, it is the only one.
 *
 * @throws ApiError E0025R for an administration call that names none of several
 */
export const CurrentRp = fromRequest(({ relyingParty, parties }) => {
  return relyingParty ?? parties?.one() ?? failWithoutRelyingParty();
});

/** @throws Error for a handler that runs without the interceptors that find its relying party */
export function failWithoutRelyingParty(): never {
  throw new Error('The call has no relying party: no interceptor has found one.');
}
