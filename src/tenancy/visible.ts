import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import { ANYBODY, accountOf, seesTenant } from '../security/account.js';
import type { Account } from '../security/account.js';
import { Directory } from './directory.js';

/** What an account may see of the directory: for it, nothing else exists. */
export function visibleTo(account: Account, directory: Directory): Directory {
  if (!account.tenants) return directory;
  return new Directory(directory.relyingParties.filter((rp) => seesTenant(account, rp.tenant)));
}

/** Where the path names a tenant: one that the account may not see does not exist for it (E0044R). */
@Injectable()
export class VisibleTenantGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { tenant } = request.params;
    const account = accountOf(request) ?? ANYBODY;
    if (typeof tenant !== 'string' || seesTenant(account, tenant)) return true;
    throw new ApiError('E0044R', 'There is no such tenant.');
  }
}
