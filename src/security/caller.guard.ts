import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Refuses } from '../errors/refusals.js';
import { BasicAuthGuard } from './basic-auth.guard.js';
import { KeyAccounts } from './key-accounts.js';
import { secretIn } from './key-secret.js';

/**
 * Who calls the administration: an application by its key (RFC 6750), anybody else by HTTP Basic. With
 * `--auth off` too a key is what it is, so that an application meets the scopes that it will have.
 */
@Injectable()
@Refuses('E0040R', 'E0042R')
export class CallerGuard implements CanActivate {
  constructor(
    private readonly basic: BasicAuthGuard,
    private readonly keys: KeyAccounts,
  ) {}

  /** @throws ApiError E0042R */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const secret = secretIn(request.headers.authorization);
    if (secret === undefined) return (await this.basic.canActivate(context)) === true;
    request.user = await this.keys.find(secret);
    return true;
  }
}
