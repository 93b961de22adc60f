import { Inject, Injectable } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { SERVER_OPTIONS } from '../config/server-options.js';
import type { ServerOptions } from '../config/server-options.js';
import { ApiError } from '../errors/api-error.js';

const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="ServiceFido", charset="UTF-8"' };

/** Lets administrators in by HTTP Basic (E0042R otherwise), and everybody with `--auth off`. */
@Injectable()
export class BasicAuthGuard extends AuthGuard('basic') {
  constructor(@Inject(SERVER_OPTIONS) private readonly serverOptions: ServerOptions) {
    super();
  }

  override canActivate(context: ExecutionContext) {
    return this.serverOptions.auth ? super.canActivate(context) : true;
  }

  override handleRequest<User>(error: unknown, user: User | false): User {
    if (error) throw error;
    if (!user) throw new ApiError('E0042R', undefined, { headers: CHALLENGE });
    return user;
  }
}
