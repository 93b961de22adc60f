import { Inject, Injectable, Optional } from '@nestjs/common';
import { SERVER_OPTIONS } from '../config/server-options.js';
import type { ServerOptions } from '../config/server-options.js';
import { RedisLink } from '../database/redis-link.js';
import { ApiError } from '../errors/api-error.js';
import { addressGroup } from '../common/address-group.js';
import { SharedLimiter } from '../security/shared-limiter.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { normalizeName } from '../validation/names.js';

const WINDOW_SECONDS = 60;

/**
 * Begin and result calls per client address and per user name, never one cap for all: a flood from
 * one address does not push out others.
 */
@Injectable()
export class RateLimits {
  private readonly addresses: SharedLimiter;
  private readonly users: SharedLimiter;

  constructor(
    @Inject(SERVER_OPTIONS) { rateAddress, rateUser }: ServerOptions,
    @Optional() @Inject(RedisLink) link: RedisLink | null,
  ) {
    const limiter = (name: string, points: number) =>
      new SharedLimiter({ name, points, seconds: WINDOW_SECONDS }, link);
    this.addresses = limiter('address', rateAddress);
    this.users = limiter('user', rateUser);
  }

  /** @throws ApiError E0040R */
  countAddress(ip: string | undefined): Promise<void> {
    return count(this.addresses, addressGroup(ip));
  }

  /** @throws ApiError E0040R */
  countUser(rp: RelyingParty, username: string): Promise<void> {
    return count(this.users, `${rp.domain} ${normalizeName(username)}`);
  }
}

async function count(limiter: SharedLimiter, key: string): Promise<void> {
  const seconds = await limiter.count(key);
  if (seconds === 0) return;
  throw new ApiError('E0040R', undefined, { headers: { 'Retry-After': `${seconds}` } });
}
