import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { RedisLink } from '../../platform/database/redis-link.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { addressGroup, wideAddressGroup } from '../../platform/common/network/address-group.js';
import type { ApplicationKeyGrant } from '../../platform/access/accounts/account.js';
import {
  SharedLimiter,
  type Limit,
  type LimitState,
} from '../../platform/access/limits/shared-limiter.js';
import type { Client } from '../../events/ledger.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';

/** An item of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10 §3): quota, and its window in seconds. */
const policyItem = ({ name, points, seconds }: Limit): string =>
  `"${name}";q=${points};w=${seconds}`;

/** An item of `RateLimit` (§4): the remaining quota, and the seconds until it is full again. */
const limitItem = (name: string, { left, reset }: LimitState): string =>
  `"${name}";r=${left};t=${reset}`;

/** The names of a caller's groups, the narrowest first; `undefined` for a group that equals the narrower one. */
type GroupNames = readonly (string | undefined)[];

/** One limiter for each group of a caller, the narrowest first. */
type GroupLimiters = readonly SharedLimiter[];

/**
 * Counts a call for each group of its caller until one of them refuses it: a refused call takes nothing from the wider
 * groups.
 *
 * @param cost points that the call takes from each limit
 * @returns the state of the group that refuses, else of the one with the least left
 */
function useLimits(limiters: GroupLimiters, names: GroupNames, cost = 1): LimitState {
  let least: LimitState = { wait: 0, left: Infinity, reset: 0 };
  for (const [n, limiter] of limiters.entries()) {
    const name = names[n];
    if (name === undefined) continue;
    const use = limiter.use(name, cost);
    if (use.wait > 0) return use;
    if (use.left < least.left) least = use;
  }
  return least;
}

/** Limit of an IPv6 /48 as a multiple of the limit of a /64: a /48 may be one site or many. */
const WIDE = 16;
/** The limit of all keys of a tenant together, as a multiple of the limit of one key. */
const KEYS = 4;
/** The group of all callers without a key, who share the memory for ceremonies as if they were one tenant. */
const WITHOUT_KEY = '';
/** The limit of certificates is granted in portions of a few seconds, so it cannot be used up all at once. */
const CERTIFICATE_SECONDS = 6;

/** The caller to count a call for: an address, or an application by its key. */
export interface Caller {
  /** The address, or the IPv6 /64. */
  readonly group: string;
  /** The address, or the IPv6 /48. */
  readonly site: string;
  /** The groups that share the memory for ceremonies: see `CallerSession`. */
  readonly callers: readonly string[];
  /** The client of a result call, for its events; absent if events do not contain it. */
  client?: Client | undefined;
  /** Set for an application: group and site are then its key and the client that it names. */
  readonly key?: ApplicationKeyGrant;
  /** The caller's `User-Agent`. */
  readonly program?: string | undefined;
  /** The response, whose headers report the remaining quota. */
  readonly response: Response;
  /** The `RateLimit` item of the caller's own limit; the item of the user name is appended to it. */
  readonly ownLimit: string;
}

type CallerGroups = Pick<Caller, 'group' | 'site' | 'callers' | 'key'>;

/**
 * Counts begin and result calls per caller, and per caller and user name. A caller is an address group, or
 * the client that an application names. Since an application can name any number of clients, its key and the
 * key's tenant are counted too. There is no limit over all callers, so no caller can use up another's limit,
 * whatever user names it sends.
 */
@Injectable()
export class RateLimits {
  private readonly ofAddresses: GroupLimiters;
  private readonly ofKeys: GroupLimiters;
  private readonly users: SharedLimiter;
  private readonly certificatesOfAddresses: GroupLimiters;
  private readonly certificatesOfKeys: GroupLimiters;
  private readonly certificateLimit: Limit;
  /** The header that describes the limits. */
  private readonly policy: string;

  constructor(
    @Inject(serverOptions.KEY) options: ServerOptions,
    clock: Clock,
    @Optional() @Inject(RedisLink) link: RedisLink | null,
  ) {
    const { rateAddress, rateUser, rateCertificates, rateKeyClients } = options;
    const calls = (name: string, points: number): Limit => ({ name, points, seconds: 60 });
    const certificates = (name: string, perMinute: number): Limit => ({
      name,
      points: Math.ceil((perMinute * CERTIFICATE_SECONDS) / 60),
      seconds: CERTIFICATE_SECONDS,
    });
    const limiters = (...limits: Limit[]) =>
      limits.map((limit) => new SharedLimiter(limit, clock, link));
    const address = calls('address', rateAddress);
    const user = calls('user', rateUser);
    this.ofAddresses = limiters(address, calls('site', rateAddress * WIDE));
    // Clients of keys have limiters of their own, so that invented clients displace no addresses.
    this.ofKeys = limiters(
      calls('client', rateAddress),
      calls('client-site', rateAddress * WIDE),
      calls('key', rateAddress * rateKeyClients),
      calls('tenant', rateAddress * rateKeyClients * KEYS),
    );
    this.users = new SharedLimiter(user, clock, link);
    this.certificateLimit = certificates('certificates', rateCertificates);
    this.certificatesOfAddresses = limiters(this.certificateLimit);
    this.certificatesOfKeys = limiters(
      certificates('client-certificates', rateCertificates),
      certificates('key-certificates', rateCertificates * rateKeyClients),
      certificates('tenant-certificates', rateCertificates * rateKeyClients * KEYS),
    );
    this.policy = `${policyItem(address)}, ${policyItem(user)}`;
  }

  /** @throws ApiError E0040R */
  countCall(ip: string | undefined, response: Response): Caller {
    const group = addressGroup(ip);
    const site = wideAddressGroup(ip);
    const callers = [WITHOUT_KEY, ...pathOf(group, site)];
    return this.counted({ group, site, callers }, response);
  }

  /**
   * Counts a call of an application for the client that it names, its key and its tenant. The client is counted for
   * this key alone: no key uses up the limit of another key's client.
   *
   * @param client the address for which the application calls, if it names one
   * @throws ApiError E0040R
   */
  countKeyCall(key: ApplicationKeyGrant, client: string | undefined, response: Response): Caller {
    const group = addressGroup(client);
    const site = wideAddressGroup(client);
    const callers = [key.tenant, key.id, ...pathOf(group, site)];
    return this.counted(
      { group: `${key.id} ${group}`, site: `${key.id} ${site}`, callers, key },
      response,
    );
  }

  private counted(caller: CallerGroups, response: Response): Caller {
    const { group, key } = caller;
    const site = caller.site === group ? undefined : caller.site;
    const use = key
      ? useLimits(this.ofKeys, [group, site, key.id, key.tenant])
      : useLimits(this.ofAddresses, [group, site]);
    const ownLimit = limitItem('address', use);
    response.setHeader('RateLimit-Policy', this.policy);
    response.setHeader('RateLimit', ownLimit);
    refuseIfExhausted(use.wait);
    return { response, ownLimit, ...caller };
  }

  /**
   * Counts a call for the user name too. A sign-in without a name counts for its caller alone.
   *
   * @throws ApiError E0040R
   */
  countUser(
    { group, response, ownLimit }: Caller,
    rp: RelyingParty,
    username: string | undefined,
  ): void {
    if (username === undefined) return;
    const use = this.users.use(`${rp.domain} ${group} ${nameKey(rp, username)}`);
    response.setHeader('RateLimit', `${ownLimit}, ${limitItem('user', use)}`);
    refuseIfExhausted(use.wait);
  }

  /**
   * Charges a registration for its certificates. They cost more than everything else in a call, so they have a
   * limit of their own, and a caller who has used it up can still sign in.
   *
   * @throws ApiError E0040R
   */
  countCertificates({ site, key, response }: Caller, count: number): void {
    if (count === 0) return;
    const use = key
      ? useLimits(this.certificatesOfKeys, [site, key.id, key.tenant], count)
      : useLimits(this.certificatesOfAddresses, [site], count);
    if (use.wait === 0) return;
    const { name } = this.certificateLimit;
    response.setHeader('RateLimit-Policy', policyItem(this.certificateLimit));
    response.setHeader('RateLimit', limitItem(name, use));
    refuseIfExhausted(use.wait);
  }
}

/** The groups of an address, the widest first; for IPv4 there is one. */
const pathOf = (group: string, site: string): readonly string[] =>
  site === group ? [group] : [site, group];

function refuseIfExhausted(seconds: number): void {
  if (seconds > 0) throw ApiError.tooMany(seconds);
}
