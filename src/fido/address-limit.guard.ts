import { Injectable, createParamDecorator } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { RateLimits } from './rate-limits.js';
import type { Caller } from './rate-limits.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** Who calls one of the four calls; set by their address limit. */
    caller?: Caller;
  }
}

/** Counts a call for the address that it comes from. */
@Injectable()
export class AddressLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  /** @throws ApiError E0040R */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    request.caller = this.limits.countCall(request.ip);
    return true;
  }
}

/** Who calls; only behind the address limit. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const { caller } = context.switchToHttp().getRequest<Request>();
    if (caller === undefined) throw new Error('no address limit stands before this call');
    return caller;
  },
);
