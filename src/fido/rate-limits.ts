import { Inject, Injectable, Optional } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { Clock } from '../common/clock.js';
import { serverOptions } from '../config/server-config.js';
import { RedisLink } from '../database/redis-link.js';
import { ApiError } from '../errors/api-error.js';
import { addressGroup, wideAddressGroup } from '../common/address-group.js';
import { SharedLimiter } from '../security/shared-limiter.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { normalizeName } from '../validation/names.js';

const WINDOW_SECONDS = 60;
/** How many times the limit of an IPv6 /64 the whole /48 has: it may be one site or many. */
const WIDE = 16;

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

  constructor(
    @Inject(serverOptions.KEY) { rateAddress, rateUser }: ConfigType<typeof serverOptions>,
    clock: Clock,
    @Optional() @Inject(RedisLink) link: RedisLink | null,
  ) {
    const limiter = (name: string, points: number) =>
      new SharedLimiter({ name, points, seconds: WINDOW_SECONDS }, clock, link);
    this.callers = limiter('address', rateAddress);
    this.sites = limiter('site', rateAddress * WIDE);
    this.users = limiter('user', rateUser);
  }

  /**
   * Counts a call.
   *
   * @returns the caller, for `countUser`
   * @throws ApiError E0040R
   */
  countCall(ip: string | undefined): string {
    const caller = addressGroup(ip);
    demand(this.callers.count(caller));
    // Of IPv4 both are the same.
    const site = wideAddressGroup(ip);
    if (site !== caller) demand(this.sites.count(site));
    return caller;
  }

  /** @throws ApiError E0040R */
  countUser(rp: RelyingParty, username: string, caller: string): void {
    demand(this.users.count(`${rp.domain} ${caller} ${normalizeName(username)}`));
  }
}

function demand(seconds: number): void {
  if (seconds === 0) return;
  throw new ApiError('E0040R', undefined, { headers: { 'Retry-After': `${seconds}` } });
}
