import { Injectable, createParamDecorator } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { Refuses } from '../../platform/errors/refusals.js';
import type { RelyingParty } from '../relying-party.js';
import type {} from './scope.interceptor.js';
import { RelyingPartyFinder } from './relying-party-finder.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The relying party of the request; set by the tenant interceptor. */
    relyingParty?: RelyingParty;
  }
}

/**
 * Finds the tenant and relying party of a call, in the interface's order: the header
 * X-ServiceFido-RelyingParty, `--domain`, `Origin`. Nest runs it behind the guards and before the
 * pipes, so that an unknown relying party answers before a malformed body does.
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
 * The relying party of the call, behind the tenant interceptor; of a call of the administration the only
 * one, behind the scope interceptor.
 *
 * @throws ApiError E0025R for a call of the administration that names none of several
 */
export const CurrentRp = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { relyingParty, scope } = context.switchToHttp().getRequest<Request>();
  const rp = relyingParty ?? scope?.one();
  if (rp === undefined) throw new Error('no tenant interceptor stands before this call');
  return rp;
});
