import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { accountOf, type Account } from '../../platform/access/accounts/account.js';
import { isDomain, namedHost } from '../../platform/validation/values/domain.js';
import type { RelyingParty } from '../relying-party.js';
import type { RelyingParties } from './relying-parties.js';
import { RelyingPartyCache } from './relying-party-cache.js';
import { seesRelyingParty, visibleTo } from './visible-tenants.js';

/** The name of the header that names a relying party. */
export const RP_HEADER = 'X-ServiceFido-RelyingParty';

export const relyingPartyHeader = ({ headers }: Request): string | undefined =>
  headers['x-servicefido-relyingparty']?.toString();

/**
 * Lets the guards and interceptors of the four calls find the relying party of a path: no header and no application key
 * may name another one.
 */
export function bindToRelyingParty(
  { headers }: Request,
  { domain }: Pick<RelyingParty, 'domain'>,
): void {
  headers['x-servicefido-relyingparty'] = domain;
  delete headers.authorization;
}

/** Finds the relying parties of calls: the named ones, else the one of `--domain`. */
@Injectable()
export class RelyingPartyFinder {
  constructor(
    private readonly relyingParties: RelyingPartyCache,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * Finds the relying party of one of the four calls; for an application, among those that its key
   * covers.
   *
   * @throws ApiError E0025R or E0026R; for an application as `findCovered`
   */
  find(request: Request): RelyingParty {
    const account = accountOf(request);
    const header = relyingPartyHeader(request);
    if (account?.key) return this.findCovered(account, this.domainIn(header));
    const { domain, listDomains } = this.options;
    const hints = { header, domain, origin: request.headers.origin };
    return resolveRelyingParty(hints, this.relyingParties.current, listDomains);
  }

  /**
   * Guesses the relying party of a call that was refused before `find`, or by it: the first possible one of header,
   * Origin and `--domain`, else the only possible one. For an application, those that its key covers are possible.
   */
  guess(request: Request): RelyingParty | undefined {
    const account = accountOf(request);
    const relyingParties = this.relyingParties.current;
    const { domain = '' } = this.options;
    const { origin } = request.headers;
    const hints = [
      relyingParties.find(namedHost(relyingPartyHeader(request) ?? '')),
      origin === undefined ? undefined : findByOrigin(relyingParties, origin),
      relyingParties.find(domain),
    ];
    const isPossible = (rp: RelyingParty) => !account?.key || seesRelyingParty(account, rp);
    return (
      hints.find((rp) => rp && isPossible(rp)) ?? single(relyingParties.all.filter(isPossible))
    );
  }

  /**
   * Finds the relying party that an administration call names, among those that the account may see.
   *
   * @param name a domain, or a URL
   * @throws ApiError E0026R or E0025R; for an application as `findCovered`
   */
  findVisible(account: Account, name: string | undefined): RelyingParty {
    const domain = this.domainIn(name);
    if (account.key) return this.findCovered(account, domain);
    const hints = { header: undefined, domain, origin: undefined };
    const visible = visibleTo(account, this.relyingParties.current);
    return resolveRelyingParty(hints, visible, this.options.listDomains);
  }

  /**
   * Finds the named relying party, else all that the account may see, sorted by domain.
   *
   * @throws ApiError as `findVisible`
   */
  listVisible(account: Account, name: string | undefined): readonly RelyingParty[] {
    const isNamed = name !== undefined || this.options.domain !== undefined;
    return isNamed ? [this.findVisible(account, name)] : this.relyingParties.visibleTo(account);
  }

  /**
   * Returns the only one of several relying parties, for a call that changes something.
   *
   * @throws ApiError E0025R if there are several, or none
   */
  only(relyingParties: readonly RelyingParty[]): RelyingParty {
    const found = single(relyingParties);
    if (found) return found;
    const body = this.listed(relyingParties.map(({ domain }) => domain));
    throw new ApiError('E0025R', 'relyingParty.needed', { header: RP_HEADER }, { body });
  }

  private domainIn(name: string | undefined): string | undefined {
    return name === undefined ? this.options.domain : domainOfHeader(name);
  }

  /**
   * Finds the relying party of an application's call: the named one, else the only one that its key
   * covers.
   *
   * @throws ApiError E0043R for one that the key does not cover (the four calls reveal to every client
   *   that it exists); E0025R if none has the name, or no name is given and there are several
   */
  private findCovered(account: Account, domain: string | undefined): RelyingParty {
    const relyingParties = this.relyingParties.current;
    const covered = () => relyingParties.all.filter((rp) => seesRelyingParty(account, rp));
    const found = domain === undefined ? single(covered()) : relyingParties.find(domain);
    if (found && seesRelyingParty(account, found)) return found;
    if (found) throw new ApiError('E0043R', 'applicationKey.notCovered');
    const body = this.listed(covered().map((rp) => rp.domain));
    throw new ApiError('E0025R', 'relyingParty.unknown', {}, { body });
  }

  private listed(domains: readonly string[]) {
    return this.options.listDomains ? { domains } : {};
  }
}

const single = ([first, second]: readonly RelyingParty[]): RelyingParty | undefined =>
  second ? undefined : first;

const ORIGIN_HOST = /^https?:\/\/([^/?#@\\:]+)(?::\d{1,5})?$/;

const findByOrigin = (relyingParties: RelyingParties, origin: string): RelyingParty | undefined =>
  relyingParties.findByOrigin(ORIGIN_HOST.exec(origin)?.[1], origin);

/**
 * Reads a domain from the header X-ServiceFido-RelyingParty: a host name, or the host of a URL.
 *
 * @throws ApiError E0026R if the value is neither
 */
export function domainOfHeader(value: string): string {
  const host = namedHost(value);
  if (!isDomain(host)) throw new ApiError('E0026R');
  return host;
}

/** Whether a parameter names this domain, as the header may. */
export function namesDomain(value: unknown, domain: string): boolean {
  return typeof value === 'string' && namedHost(value) === domain;
}

interface RelyingPartyHints {
  /** The header X-ServiceFido-RelyingParty. */
  readonly header: string | undefined;
  readonly domain: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Finds the relying party of a request, in the order of the interface: header, option, Origin.
 *
 * @param listDomains whether E0025R lists the existing domains
 * @throws ApiError E0026R or E0025R
 */
export function resolveRelyingParty(
  { header, domain, origin }: RelyingPartyHints,
  relyingParties: RelyingParties,
  listDomains: boolean,
): RelyingParty {
  let found: RelyingParty | undefined;
  if (header !== undefined) found = relyingParties.find(domainOfHeader(header));
  else if (domain !== undefined) found = relyingParties.find(domain);
  else if (origin !== undefined) {
    found = findByOrigin(relyingParties, origin);
  }
  if (found) return found;
  const body = listDomains ? { domains: relyingParties.domains } : {};
  throw new ApiError('E0025R', 'relyingParty.unknown', {}, { body });
}
