import { Inject, Injectable } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { serverOptions } from '../config/server-config.js';
import { ApiError } from '../errors/api-error.js';
import { ANYBODY } from './account.js';

const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="ServiceFido", charset="UTF-8"' };

/** Lets administrators in by HTTP Basic (E0042R otherwise), and everybody with `--auth off`. */
@Injectable()
export class BasicAuthGuard extends AuthGuard('basic') {
  constructor(
    @Inject(serverOptions.KEY) private readonly config: ConfigType<typeof serverOptions>,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext) {
    if (this.config.auth) return super.canActivate(context);
    context.switchToHttp().getRequest<Request>().user = ANYBODY;
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
    // The log learns from where; a name may be a password typed into the wrong field.
    const cause = headers.authorization && new Error(`A login from ${ip} failed.`);
    throw new ApiError('E0042R', undefined, { headers: CHALLENGE, cause });
  }
}
