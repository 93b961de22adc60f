import { Injectable, type CanActivate } from '@nestjs/common';
import { ApiError } from '../platform/errors/api-error.js';
import { Refuses } from '../platform/errors/refusals.js';
import { BrowserSessions } from '../platform/access/caller.guard.js';

/** Refuses with E0046R if browsers have no sessions. */
@Injectable()
@Refuses('E0046R')
export class SessionsOnGuard implements CanActivate {
  constructor(private readonly sessions: BrowserSessions) {}

  canActivate(): boolean {
    if (this.sessions.areOn) return true;
    throw new ApiError('E0046R', 'console.off');
  }
}
