import { Injectable } from '@nestjs/common';
import type { CanActivate } from '@nestjs/common';
import { ApiError } from '../errors/api-error.js';
import { Refuses } from '../errors/refusals.js';
import { BrowserSessions } from '../security/browser-sessions.js';

const OFF =
  'Nobody signs in on a page here: the server was started with --console basic or --auth off.';

/** Refuses with E0046R where browsers have no sessions. */
@Injectable()
@Refuses('E0046R')
export class SessionsOnGuard implements CanActivate {
  constructor(private readonly sessions: BrowserSessions) {}

  canActivate(): boolean {
    if (this.sessions.areOn) return true;
    throw new ApiError('E0046R', OFF);
  }
}
