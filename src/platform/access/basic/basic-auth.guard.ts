import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { serverOptions, type ServerOptions } from '../../config/server-config.js';
import { isLoopback } from '../../config/base-address.js';
import { ApiError } from '../../errors/api-error.js';
import { ANYBODY } from '../accounts/account.js';

const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="ServiceFido", charset="UTF-8"' };

/** Admits administrators with HTTP Basic (E0042R otherwise), and every caller with `--auth off`. */
@Injectable()
export class BasicAuthGuard extends AuthGuard('basic') {
  constructor(@Inject(serverOptions.KEY) private readonly config: ServerOptions) {
    super();
  }

  /** `false` with `--auth off`. */
  get asks(): boolean {
    return this.config.auth;
  }

  override canActivate(context: ExecutionContext) {
    if (this.config.auth) return super.canActivate(context);
    const request = context.switchToHttp().getRequest<Request>();
    if (!this.config.authOffAnywhere) refuseForeignName(request);
    request.user = ANYBODY;
    return true;
  }

  override handleRequest<User>(
    error: unknown,
    user: User | false,
    _info: unknown,
    context: ExecutionContext,
  ): User {
    if (error) throw error;
    if (user) return user;
    const { headers, ip } = context.switchToHttp().getRequest<Request>();
    // The log contains the address, not the name, which may be a password typed into the wrong field.
    const cause = headers.authorization && new Error(`A sign-in from ${ip} failed.`);
    throw new ApiError('E0042R', 'authentication.needed', {}, { headers: CHALLENGE, cause });
  }
}

/**
 * With `--auth off`, only the loopback address keeps strangers out. A foreign page could bypass it by DNS
 * rebinding, but its `Host` is still its own name. `X-Forwarded-Host` does not count: such a page may send one.
 *
 * @throws ApiError E0043R
 */
function refuseForeignName({ headers }: Request): void {
  const name = (headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
  if (isLoopback(name)) return;
  throw new ApiError('E0043R', 'permission.loopbackOnly');
}
