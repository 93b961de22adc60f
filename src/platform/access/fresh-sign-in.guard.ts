import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Refuses } from '../errors/api-error.js';
import { callerOf } from './accounts/account.js';
import { BrowserSessions } from './caller.guard.js';

/** For a call that lets others in: a browser that somebody left unattended must sign in again first. */
@Injectable()
@Refuses('E0045R')
export class FreshSignInGuard implements CanActivate {
  constructor(private readonly sessions: BrowserSessions) {}

  /** @throws ApiError E0045R */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const stale = await this.sessions.staleness(request, callerOf(request));
    if (stale) throw stale;
    return true;
  }
}
