import { ApiError } from '../../platform/errors/api-error.js';
import { isDomain } from '../../platform/validation/values/domain.js';
import type { Directory } from './directory.js';
import type { RelyingParty } from '../relying-party.js';

const URL_HOST = /^https?:\/\/([^/?#@\\:]+)(?::\d{1,5})?(?:[/?#].*)?$/i;
const ORIGIN_HOST = /^https?:\/\/([^/?#@\\:]+)(?::\d{1,5})?$/;

/**
 * The domain that the header X-ServiceFido-RelyingParty names: a host name, or a URL's host.
 *
 * @throws ApiError E0026R when the value is neither
 */
export function domainOfHeader(value: string): string {
  const host = (URL_HOST.exec(value)?.[1] ?? value).toLowerCase();
  if (!isDomain(host)) throw new ApiError('E0026R');
  return host;
}

export interface Hints {
  /** The header X-ServiceFido-RelyingParty. */
  readonly header: string | undefined;
  readonly domain: string | undefined;
  readonly origin: string | undefined;
}

/**
 * The relying party of a request, in the interface's order: header, option, Origin.
 *
 * @param listDomains whether E0025R names the domains there are
 * @throws ApiError E0026R or E0025R
 */
export function resolveRelyingParty(
  { header, domain, origin }: Hints,
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
