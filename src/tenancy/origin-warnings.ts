import { problem, type Problem } from '../platform/errors/reasons.js';
import { hostOfOrigin } from '../platform/validation/values/domain.js';

/** Browsers trust these hosts without TLS (W3C Secure Contexts §3.1). */
const isOfThisMachine = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost');

/** Returns a warning for administrators if some allowed origins are not encrypted. */
export function encryptionWarning(origins: readonly string[]): Problem | undefined {
  const open = origins.filter((origin) => {
    const host = origin.startsWith('http:') ? hostOfOrigin(origin) : undefined;
    return host !== undefined && !isOfThisMachine(host);
  });
  if (open.length === 0) return undefined;
  return problem('origins.notEncrypted', { origins: open.join(', ') });
}

/**
 * Returns a warning for administrators if all pages among the allowed origins are on other domains. A list of apps
 * alone is complete, since no page uses the keys then.
 */
export function domainWarning(domain: string, origins: readonly string[]): Problem | undefined {
  const hosts = origins.map(hostOfOrigin).filter((host) => host !== undefined);
  const isOwn = (host: string) => host === domain || host.endsWith(`.${domain}`);
  if (hosts.length === 0 || hosts.some(isOwn)) return undefined;
  return problem('origins.noneOfDomain', { domain });
}

/** Warnings for administrators about the allowed origins of a domain. */
export const originWarnings = (domain: string, origins: readonly string[]): readonly Problem[] =>
  [domainWarning(domain, origins), encryptionWarning(origins)].filter(
    (found) => found !== undefined,
  );
