import { Inject, Injectable, Optional } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { Clock } from '../common/clock.js';
import { serverOptions } from '../config/server-config.js';
import { RedisLink } from '../database/redis-link.js';
import { ApiError } from '../errors/api-error.js';
import { addressGroup, wideAddressGroup } from '../common/address-group.js';
import type { KeyRights } from '../security/account.js';
import { SharedLimiter } from '../security/shared-limiter.js';
import type { Limit } from '../security/shared-limiter.js';
import type { Client } from '../ledger/ledger.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { nameKey } from '../tenancy/usernames/name-key.js';
import { limitItem, policyItem } from './limit-headers.js';
import type { HeaderSink } from './limit-headers.js';

/** Limit of an IPv6 /48 as a multiple of that of a /64: a /48 may be one site or many. */
const WIDE = 16;
/**
 * The limit of certificates is granted in portions of so many seconds, so that it cannot be used up all at
 * once.
 */
const CERTIFICATE_SECONDS = 6;

/** The caller for whom a call is counted: an address, or an application by its key. */
export interface Caller {
  /** The address, or the IPv6 /64. */
  readonly group: string;
  /** The address, or the IPv6 /48. */
  readonly site: string;
  /** Where a result call comes from, for its events; absent where they are not to tell. */
  client?: Client | undefined;
  /** Set for an application: group and site are then its key and the client that it names. */
  readonly key?: KeyRights;
  /** The caller's `User-Agent`. */
  readonly program?: string | undefined;
  /** The answer, whose headers tell the caller what is left. */
  readonly answer: HeaderSink;
  /** The `RateLimit` item of the caller's own limit, to which that of the user name is added. */
  readonly told: string;
}

type Counted = Pick<Caller, 'group' | 'site' | 'key'>;

/**
 * Counts begin and result calls per caller, and per caller and user name. A caller is an address group.
 * Nothing is counted over all callers, so that nobody uses up another's limit, whatever names the calls are
 * for.
 */
@Injectable()
export class RateLimits {
  private readonly callers: SharedLimiter;
  private readonly sites: SharedLimiter;
  private readonly users: SharedLimiter;
  private readonly certificates: SharedLimiter;
  private readonly certificateLimit: Limit;
  /** The header that says what the limits are. */
  private readonly policy: string;

  constructor(
    @Inject(serverOptions.KEY) options: ConfigType<typeof serverOptions>,
    clock: Clock,
    @Optional() @Inject(RedisLink) link: RedisLink | null,
  ) {
    const { rateAddress, rateUser, rateCertificates } = options;
    const limit = (name: string, perMinute: number, seconds = 60): Limit => {
      return { name, points: Math.ceil((perMinute * seconds) / 60), seconds };
    };
    const [caller, user] = [limit('address', rateAddress), limit('user', rateUser)];
    this.certificateLimit = limit('certificates', rateCertificates, CERTIFICATE_SECONDS);
    this.callers = new SharedLimiter(caller, clock, link);
    this.sites = new SharedLimiter(limit('site', rateAddress * WIDE), clock, link);
    this.users = new SharedLimiter(user, clock, link);
    this.certificates = new SharedLimiter(this.certificateLimit, clock, link);
    this.policy = `${policyItem(caller)}, ${policyItem(user)}`;
  }

  /**
   * Counts a call.
   *
   * @throws ApiError E0040R
   */
  countCall(ip: string | undefined, answer: HeaderSink): Caller {
    return this.counted({ group: addressGroup(ip), site: wideAddressGroup(ip) }, answer);
  }

  /**
   * Counts a call of an application, and the client that it names for this application alone: no key uses up
   * the limit of another key, or that of the client's own calls.
   *
   * @param client the address for which the application calls, where it says so
   * @throws ApiError E0040R
   */
  countKeyCall(key: KeyRights, client: string | undefined, answer: HeaderSink): Caller {
    const [group, site] = [addressGroup(client), wideAddressGroup(client)];
    return this.counted({ group: `${key.id} ${group}`, site: `${key.id} ${site}`, key }, answer);
  }

  private counted(caller: Counted, answer: HeaderSink): Caller {
    const own = this.callers.use(caller.group);
    // For IPv4 both are the same. What the limit of a network refuses takes nothing from that of its site.
    const isAll = own.wait > 0 || caller.site === caller.group;
    const wide = isAll ? own : this.sites.use(caller.site);
    const told = limitItem('address', wide.left < own.left ? wide : own);
    answer.setHeader('RateLimit-Policy', this.policy);
    answer.setHeader('RateLimit', told);
    demand(Math.max(own.wait, wide.wait));
    return { answer, told, ...caller };
  }

  /**
   * Counts a call for the user name too. A sign-in without a name counts for its caller alone.
   *
   * @throws ApiError E0040R
   */
  countUser({ group, answer, told }: Caller, rp: RelyingParty, username: string | undefined): void {
    if (username === undefined) return;
    const use = this.users.use(`${rp.domain} ${group} ${nameKey(rp, username)}`);
    answer.setHeader('RateLimit', `${told}, ${limitItem('user', use)}`);
    demand(use.wait);
  }

  /**
   * Charges a registration for the certificates that it brings. They cost more than all else that a call can
   * ask for, so they have a limit of their own, and a caller who has used it up can still sign in.
   *
   * @throws ApiError E0040R
   */
  countCertificates({ site, answer }: Caller, count: number): void {
    if (count === 0) return;
    const use = this.certificates.use(site, count);
    if (use.wait === 0) return;
    const { name } = this.certificateLimit;
    answer.setHeader('RateLimit-Policy', policyItem(this.certificateLimit));
    answer.setHeader('RateLimit', limitItem(name, use));
    demand(use.wait);
  }
}

function demand(seconds: number): void {
  if (seconds === 0) return;
  throw new ApiError('E0040R', undefined, { headers: { 'Retry-After': `${seconds}` } });
}
