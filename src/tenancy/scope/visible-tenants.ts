import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import {
  callerOf,
  seesTenant,
  type Account,
  type ApplicationKeyGrant,
} from '../../platform/access/accounts/account.js';
import type { RelyingParty } from '../relying-party.js';
import { RelyingParties } from './relying-parties.js';

/* What an account may see is decided here. docs/architecture.md says which of these a new endpoint takes. */

/** Whether an application key covers all of the relying parties; true without a key. */
export const keyCovers = (
  key: ApplicationKeyGrant | undefined,
  ...rps: readonly Pick<RelyingParty, 'id'>[]
): boolean =>
  rps.every(({ id }) => key?.relyingParties?.includes(id.toString('base64url')) ?? true);

/** @throws ApiError E0043R if an application key does not cover all of the relying parties */
export function ensureCovers({ key }: Account, ...rps: readonly Pick<RelyingParty, 'id'>[]): void {
  if (!keyCovers(key, ...rps)) throw new ApiError('E0043R', 'applicationKey.notCovered');
}

/**
 * A user who moves is one user at both domains of the move, so a key must cover both to change this user.
 *
 * @throws ApiError E0043R
 */
export function ensureCoversMove(
  account: Account,
  rp: RelyingParty,
  relyingParties: RelyingParties,
): void {
  const other = relyingParties.otherDomainOf(rp);
  ensureCovers(account, rp, ...(other ? [other] : []));
}

export const seesRelyingParty = (account: Account, rp: RelyingParty): boolean =>
  seesTenant(account, rp.tenant) && keyCovers(account.key, rp);

/** Those that an account may see. */
export function visibleTo(account: Account, relyingParties: RelyingParties): RelyingParties {
  if (!account.tenants) return relyingParties;
  return new RelyingParties(relyingParties.all.filter((rp) => seesRelyingParty(account, rp)));
}

/** Guards paths that name a tenant: one that the account may not see does not exist for it (E0044R). */
@Injectable()
@Refuses('E0044R')
export class VisibleTenantGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { tenant } = request.params;
    const account = callerOf(request);
    if (typeof tenant !== 'string' || seesTenant(account, tenant)) return true;
    throw new ApiError('E0044R', 'tenant.unknown');
  }
}
