import { Inject, Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { SERVER_OPTIONS } from '../config/server-options.js';
import type { ServerOptions } from '../config/server-options.js';
import { ApiError } from '../errors/api-error.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { normalizeName } from '../validation/names.js';

const WINDOW_SECONDS = 60;

/**
 * Begin and result calls per client address and per user name, never one cap for all: a flood from
 * one address does not push out others.
 */
@Injectable()
export class RateLimits implements CanActivate {
  private readonly addresses: RateLimiterMemory;
  private readonly users: RateLimiterMemory;

  constructor(@Inject(SERVER_OPTIONS) { rateAddress, rateUser }: ServerOptions) {
    this.addresses = new RateLimiterMemory({ points: rateAddress, duration: WINDOW_SECONDS });
    this.users = new RateLimiterMemory({ points: rateUser, duration: WINDOW_SECONDS });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await count(this.addresses, `${context.switchToHttp().getRequest<Request>().ip}`);
    return true;
  }

  /** @throws ApiError E0040R */
  countUser(rp: RelyingParty, username: string): Promise<void> {
    return count(this.users, `${rp.domain} ${normalizeName(username)}`);
  }
}

async function count(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (limit) {
    if (!(limit instanceof RateLimiterRes)) throw limit;
    const seconds = Math.max(1, Math.ceil(limit.msBeforeNext / 1000));
    throw new ApiError('E0040R', undefined, { headers: { 'Retry-After': `${seconds}` } });
  }
}
