import { Inject, Injectable, Optional } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { Clock } from '../common/clock.js';
import { serverOptions } from '../config/server-config.js';
import { RedisLink } from '../database/redis-link.js';
import { ApiError } from '../errors/api-error.js';
import { addressGroup, wideAddressGroup } from '../common/address-group.js';
import type { KeyRights } from '../security/account.js';
import { SharedLimiter } from '../security/shared-limiter.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { normalizeName } from '../validation/names.js';

/** How many times the limit of an IPv6 /64 the whole /48 has: it may be one site or many. */
const WIDE = 16;
/**
 * What certificates cost is granted in smaller portions, so that it cannot be asked for all at once.
 */
const CERTIFICATE_SECONDS = 6;

/** Who calls, as far as addresses tell, or an application by its key. */
export interface Caller {
  /** The address, or the IPv6 /64. */
  readonly group: string;
  /** The address, or the IPv6 /48. */
  readonly site: string;
  /** Of an application; group and site are its key, and the client that it names. */
  readonly key?: KeyRights;
}

/**
 * Begin and result calls per caller, and per user name of a caller. A caller is an address group;
 * nothing is counted over all of them, so that nobody uses up what another may do, whatever names
 * he calls with.
 */
@Injectable()
export class RateLimits {
  private readonly callers: SharedLimiter;
  private readonly sites: SharedLimiter;
  private readonly users: SharedLimiter;
  private readonly certificates: SharedLimiter;

  constructor(
    @Inject(serverOptions.KEY) options: ConfigType<typeof serverOptions>,
    clock: Clock,
    @Optional() @Inject(RedisLink) link: RedisLink | null,
  ) {
    const { rateAddress, rateUser, rateCertificates } = options;
    const limiter = (name: string, perMinute: number, seconds = 60) =>
      new SharedLimiter(
        { name, points: Math.ceil((perMinute * seconds) / 60), seconds },
        clock,
        link,
      );
    this.callers = limiter('address', rateAddress);
    this.sites = limiter('site', rateAddress * WIDE);
    this.users = limiter('user', rateUser);
    this.certificates = limiter('certificates', rateCertificates, CERTIFICATE_SECONDS);
  }

  /**
   * Counts a call.
   *
   * @throws ApiError E0040R
   */
  countCall(ip: string | undefined): Caller {
    return this.counted({ group: addressGroup(ip), site: wideAddressGroup(ip) });
  }

  /**
   * Counts a call of an application, whoever it names apart from who else names the same address: no key
   * uses up what another may do, or what the client may do by itself.
   *
   * @param client the address for which the application calls, where it says so
   * @throws ApiError E0040R
   */
  countKeyCall(key: KeyRights, client: string | undefined): Caller {
    const [group, site] = [addressGroup(client), wideAddressGroup(client)];
    return this.counted({ group: `${key.id} ${group}`, site: `${key.id} ${site}`, key });
  }

  private counted(caller: Caller): Caller {
    demand(this.callers.count(caller.group));
    // Of IPv4 both are the same.
    if (caller.site !== caller.group) demand(this.sites.count(caller.site));
    return caller;
  }

  /** @throws ApiError E0040R */
  countUser({ group }: Caller, rp: RelyingParty, username: string): void {
    demand(this.users.count(`${rp.domain} ${group} ${normalizeName(username)}`));
  }

  /**
   * Charges a registration for the certificates that it brings. They cost more than all else that a
   * call can ask for, so they have a limit of their own, and who has used it up can still sign in.
   *
   * @throws ApiError E0040R
   */
  countCertificates({ site }: Caller, count: number): void {
    if (count > 0) demand(this.certificates.count(site, count));
  }
}

function demand(seconds: number): void {
  if (seconds === 0) return;
  throw new ApiError('E0040R', undefined, { headers: { 'Retry-After': `${seconds}` } });
}
