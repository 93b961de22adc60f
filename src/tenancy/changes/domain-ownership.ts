import { ApiError } from '../../platform/errors/api-error.js';
import type { Account } from '../../platform/access/accounts/account.js';
import {
  hostOfOrigin,
  isAtOrBelow,
  isShellOrigin,
} from '../../platform/validation/values/domain.js';
import type { RelyingParty } from '../relying-party.js';
import { AudienceOwners } from '../scope/audience-owners.js';

/** The members of a relying party that contain the host names and app origins of its tenant. */
type DomainOwner = Pick<RelyingParty, 'tenant' | 'domain' | 'origins' | 'confirmedApps' | 'policy'>;

/** What an account wants to add to a tenant: a domain, origins, audiences of tokens. */
interface TenantAddition {
  readonly tenant: string;
  readonly domain?: string;
  readonly origins: readonly string[];
  readonly audiences: readonly string[];
}

/**
 * Checks that an account may give a tenant this domain, these origins and audiences. A domain and its sub-domains
 * belong to one tenant: otherwise its accounts could take over the sign-ins of another tenant's sub-domains. An
 * account limited to tenants stays at or below the domains of its tenants. A domain of the tenant itself is an allowed
 * origin on any port, wherever the domains of others are; as a wildcard only if no other tenant has a name at or below
 * it, since the wildcard would allow the pages of that tenant. App origins belong to the tenant at which they
 * are confirmed: what is only listed keeps no other tenant from listing it. No account can list an audience that another tenant owns or lists (`AudienceOwners`).
 *
 * @param holders all open relying parties, read from the database
 * @throws ApiError E0045R, which names another tenant only to accounts of all tenants
 */
export function ensureMayAdd(
  account: Account,
  addition: TenantAddition,
  holders: readonly DomainOwner[],
): void {
  if (account.tenants) ensureOwnHosts(account.tenants, addition, holders);
  ensureOwnAudiences(account, addition, holders);
}

function ensureOwnHosts(
  tenants: readonly string[],
  { tenant, domain, origins }: TenantAddition,
  holders: readonly DomainOwner[],
): void {
  const others = holders.filter((holder) => holder.tenant !== tenant);
  const own = holders.filter((holder) => tenants.includes(holder.tenant));
  const isOfOthers = (host: string): boolean =>
    others.some((holder) => namesOf(holder).some((name) => overlap(host, name)));
  const check = (host: string, written: string): void => {
    if (!own.some((holder) => isAtOrBelow(host, holder.domain))) throw domainNotOwn(written);
    if (isOfOthers(host)) throw domainTaken(written);
  };
  if (domain !== undefined) check(domain, domain);
  for (const origin of origins) {
    const host = hostOfOrigin(origin);
    if (host === undefined) {
      if (!isShellOrigin(origin) && others.some((holder) => isConfirmedAt(holder, origin))) {
        throw domainTaken(origin);
      }
    } else if (!holders.some((holder) => holder.tenant === tenant && holder.domain === host)) {
      check(host, origin);
    } else if (isWildcard(origin) && others.some((holder) => hasNameAtOrBelow(holder, host))) {
      throw domainTaken(origin);
    }
  }
}

function ensureOwnAudiences(
  { tenants }: Account,
  { tenant, domain, audiences }: TenantAddition,
  holders: readonly DomainOwner[],
): void {
  const added = domain === undefined ? [] : [{ tenant, domain, policy: {} }];
  const owners = new AudienceOwners([...holders, ...added]);
  for (const audience of audiences) {
    if (tenants && !owners.areOwners(tenants, audience)) throw domainNotOwn(audience);
    const other = owners.otherHolder(tenant, audience);
    if (other === undefined) continue;
    if (tenants) throw domainTaken(audience);
    throw new ApiError('E0045R', 'audience.taken', { audience, otherTenant: other });
  }
}

const isConfirmedAt = ({ confirmedApps }: DomainOwner, origin: string): boolean =>
  confirmedApps.includes(origin);

/** Whether an origin covers the sub-domains of its host. */
const isWildcard = (origin: string): boolean => origin.includes('://*.');

const hasNameAtOrBelow = (holder: DomainOwner, host: string): boolean =>
  namesOf(holder).some((name) => isAtOrBelow(name, host));

/** The host names of a relying party: its own, and those of its web origins. */
const namesOf = ({ domain, origins }: DomainOwner): readonly string[] => [
  domain,
  ...origins.map(hostOfOrigin).filter((host) => host !== undefined),
];

const overlap = (one: string, other: string): boolean =>
  isAtOrBelow(one, other) || isAtOrBelow(other, one);

const domainNotOwn = (written: string) =>
  new ApiError('E0045R', 'domain.notOwn', { domain: written });

const domainTaken = (written: string) =>
  new ApiError('E0045R', 'domain.taken', { domain: written });
