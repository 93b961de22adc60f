import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../../platform/errors/api-error.js';
import { Refuses } from '../../platform/errors/refusals.js';
import {
  ANYBODY,
  accountOf,
  seesTenant,
  type Account,
} from '../../platform/access/accounts/account.js';
import { Directory } from './directory.js';
import type { RelyingParty } from '../relying-party.js';
import { domainOfHeader, resolveRelyingParty, type RelyingPartyHints } from './resolve.js';

/** Whether an application key covers the relying party; true for all other accounts. */
const covers = ({ key }: Account, { id }: Pick<RelyingParty, 'id'>): boolean =>
  key?.relyingParties?.includes(id.toString('base64url')) ?? true;

/** @throws ApiError E0043R if an application key does not cover all of the relying parties */
export function ensureCovers(account: Account, ...rps: readonly Pick<RelyingParty, 'id'>[]): void {
  if (!rps.every((rp) => covers(account, rp)))
    throw new ApiError('E0043R', 'applicationKey.notCovered');
}

const seesRelyingParty = (account: Account, rp: RelyingParty): boolean =>
  seesTenant(account, rp.tenant) && covers(account, rp);

/** The part of the directory that an account may see. */
export function visibleTo(account: Account, directory: Directory): Directory {
  if (!account.tenants) return directory;
  return new Directory(directory.relyingParties.filter((rp) => seesRelyingParty(account, rp)));
}

interface Listing {
  readonly directory: Directory;
  /** Whether E0025R lists the visible domains. */
  readonly listDomains: boolean;
}

/**
 * Finds the relying party of an application's call: the named one, else the only one that its key
 * covers.
 *
 * @throws ApiError E0043R for one that the key does not cover (the four calls reveal to every client
 *   that it exists); E0025R if none has the name, or no name is given and there are several
 */
export function resolveCovered(
  account: Account,
  named: string | undefined,
  { directory, listDomains }: Listing,
): RelyingParty {
  const found = named === undefined ? onlyOne(account, directory) : directory.find(named);
  if (found && seesRelyingParty(account, found)) return found;
  if (found) throw new ApiError('E0043R', 'applicationKey.notCovered');
  const body = listDomains ? { domains: visibleTo(account, directory).domains } : {};
  throw new ApiError('E0025R', 'relyingParty.unknown', {}, { body });
}

function onlyOne(account: Account, { relyingParties }: Directory): RelyingParty | undefined {
  const [first, second] = relyingParties.filter((rp) => seesRelyingParty(account, rp));
  return second ? undefined : first;
}

/**
 * Finds the relying party that an administration call names, among those that the account may see.
 *
 * @throws ApiError E0026R or E0025R; for an application as `resolveCovered`
 */
export function resolveVisible(
  account: Account,
  hints: RelyingPartyHints,
  listing: Listing,
): RelyingParty {
  const { header, domain } = hints;
  if (account.key) {
    const named = header === undefined ? domain : domainOfHeader(header);
    return resolveCovered(account, named, listing);
  }
  return resolveRelyingParty(hints, visibleTo(account, listing.directory), listing.listDomains);
}

/** Guards paths that name a tenant: one that the account may not see does not exist for it (E0044R). */
@Injectable()
@Refuses('E0044R')
export class VisibleTenantGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { tenant } = request.params;
    const account = accountOf(request) ?? ANYBODY;
    if (typeof tenant !== 'string' || seesTenant(account, tenant)) return true;
    throw new ApiError('E0044R', 'tenant.unknown');
  }
}
