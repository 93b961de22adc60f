import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import { ANYBODY, accountOf, seesTenant } from '../security/account.js';
import type { Account } from '../security/account.js';
import { Directory } from './directory.js';
import type { RelyingParty } from './relying-party.js';
import { domainOfHeader, resolveRelyingParty } from './resolve.js';
import type { Hints } from './resolve.js';

/** Whether an account may see a relying party. */
export function seesRelyingParty(account: Account, { tenant, id }: RelyingParty): boolean {
  const among = account.key?.relyingParties;
  if (!seesTenant(account, tenant)) return false;
  return among === undefined || among.includes(id.toString('base64url'));
}

/** What an account may see of the directory: for it, nothing else exists. */
export function visibleTo(account: Account, directory: Directory): Directory {
  if (!account.tenants) return directory;
  return new Directory(directory.relyingParties.filter((rp) => seesRelyingParty(account, rp)));
}

/**
 * The relying party that a call of the administration names, among those that the account may see.
 *
 * @throws ApiError E0026R; E0043R for one that an application key does not cover (the four calls tell
 *   anybody that it is there), else E0025R where there is none or it may not be seen
 */
export function resolveVisible(
  account: Account,
  hints: Hints,
  { directory, listDomains }: { directory: Directory; listDomains: boolean },
): RelyingParty {
  const visible = visibleTo(account, directory);
  if (account.key) {
    const { header, domain } = hints;
    const named = header === undefined ? domain : domainOfHeader(header);
    if (named !== undefined && directory.find(named) && !visible.find(named)) {
      throw new ApiError('E0043R', 'The application key does not cover this relying party.');
    }
  }
  return resolveRelyingParty(hints, visible, listDomains);
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
