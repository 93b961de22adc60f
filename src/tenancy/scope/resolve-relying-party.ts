import { ApiError } from '../../platform/errors/api-error.js';
import { isDomain } from '../../platform/validation/values/domain.js';
import type { RelyingParty } from '../relying-party.js';
import type { Directory } from './directory.js';

const URL_HOST = /^https?:\/\/([^/?#@\\:]+)(?::\d{1,5})?(?:[/?#].*)?$/i;
const ORIGIN_HOST = /^https?:\/\/([^/?#@\\:]+)(?::\d{1,5})?$/;

/**
 * Reads a domain from the header X-ServiceFido-RelyingParty: a host name, or the host of a URL.
 *
 * @throws ApiError E0026R if the value is neither
 */
export function domainOfHeader(value: string): string {
  const host = (URL_HOST.exec(value)?.[1] ?? value).toLowerCase();
  if (!isDomain(host)) throw new ApiError('E0026R');
  return host;
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
  directory: Directory,
  listDomains: boolean,
): RelyingParty {
  let found: RelyingParty | undefined;
  if (header !== undefined) found = directory.find(domainOfHeader(header));
  else if (domain !== undefined) found = directory.find(domain);
  else if (origin !== undefined) {
    found = directory.findByOrigin(ORIGIN_HOST.exec(origin)?.[1], origin);
  }
  if (found) return found;
  const body = listDomains ? { domains: directory.domains } : {};
  throw new ApiError('E0025R', 'relyingParty.unknown', {}, { body });
}
