import { getDomainWithoutSuffix, parse } from 'tldts';
import { problem, type Problem } from '../platform/errors/reasons.js';
import {
  hostOfOrigin,
  isAtOrBelow,
  normalizeOrigin,
} from '../platform/validation/values/domain.js';
import { originAllowed } from '../webauthn/origin.js';
import type { ChangeRelyingPartyDto } from './tenancy.dto.js';
import type { WellKnown } from './well-known/well-known.js';

/** Browsers trust these hosts without TLS (W3C Secure Contexts §3.1). */
const isOfThisMachine = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost');

/** Returns a warning if some allowed origins are not encrypted. */
export function encryptionWarning(origins: readonly string[]): Problem | undefined {
  const open = origins.filter((origin) => {
    const host = origin.startsWith('http:') ? hostOfOrigin(origin) : undefined;
    return host !== undefined && !isOfThisMachine(host);
  });
  if (open.length === 0) return undefined;
  return problem('origins.notEncrypted', { origins: open.join(', ') });
}

/**
 * Returns a warning if all pages among the allowed origins are on other domains. A list of apps
 * alone is complete, since no page uses the keys then.
 */
export function domainWarning(domain: string, origins: readonly string[]): Problem | undefined {
  const hosts = origins.map(hostOfOrigin).filter((host) => host !== undefined);
  if (hosts.length === 0 || hosts.some((host) => isAtOrBelow(host, domain))) return undefined;
  return problem('origins.noneOfDomain', { domain });
}

/** Warnings about sent origins that are stored as browsers write them. */
export function normalizedWarnings({
  origins = [],
  policy,
}: Pick<ChangeRelyingPartyDto, 'origins' | 'policy'>): readonly Problem[] {
  const changed = [...origins, ...(policy?.topOrigins ?? [])]
    .map((sent) => [sent, normalizeOrigin(sent)] as const)
    .filter(([sent, stored]) => sent !== stored)
    .map(([sent, stored]) => `${sent} → ${stored}`);
  return changed.length === 0
    ? []
    : [problem('origins.normalized', { origins: changed.join(', ') })];
}

interface WarnedParty extends Pick<DomainOfMove, 'domain' | 'origins'> {
  readonly relatedOrigins?: readonly string[];
  /** The predecessor's domain: pages of it use its keys. */
  readonly predecessor?: string | null;
}

/** Warnings about a domain and its allowed origins. */
export const originWarnings = (rp: WarnedParty): readonly Problem[] =>
  [
    suffixWarning(rp.domain),
    domainWarning(rp.domain, rp.origins) ?? foreignWarning(rp),
    encryptionWarning(rp.origins),
  ].filter((found) => found !== undefined);

/** Returns a warning if pages of another domain are among the allowed origins. */
function foreignWarning(rp: WarnedParty): Problem | undefined {
  const { domain, origins, relatedOrigins = [], predecessor } = rp;
  const foreign = origins.filter((origin) => {
    const host = hostOfOrigin(origin);
    if (host === undefined || isAtOrBelow(host, domain)) return false;
    const isOfMove = typeof predecessor === 'string' && isAtOrBelow(host, predecessor);
    return !isOfMove && !relatedOrigins.includes(origin);
  });
  if (foreign.length === 0) return undefined;
  return problem('origins.ofOtherDomains', { domain, origins: foreign.join(', ') });
}

/** WebAuthn L3 §5.11.1: browsers must support this many labels and may ignore further ones. */
const SUPPORTED_LABELS = 5;

/** Browsers count the suffixes of hosting services, such as `github.io`, among the public ones. */
const SUFFIXES = { allowPrivateDomains: true };

/** The registrable label of a name: `example` of `www.example.com` and `shop.example.co.uk`. */
const registrableLabel = (host: string): string => getDomainWithoutSuffix(host, SUFFIXES) ?? host;

/** Returns a warning if the domain is a public suffix, such as `co.uk`. */
export function suffixWarning(domain: string): Problem | undefined {
  const { publicSuffix, isIcann, isPrivate } = parse(domain, SUFFIXES);
  const isListed = isIcann === true || isPrivate === true;
  return isListed && publicSuffix === domain
    ? problem('domain.publicSuffix', { domain })
    : undefined;
}

/** A domain of a move, whose pages use keys of the other one. */
interface DomainOfMove {
  readonly domain: string;
  readonly origins: readonly string[];
  readonly wellKnown: Pick<WellKnown, 'relatedOrigins'>;
}

/**
 * Warnings about pages of the successor at which browsers do not offer keys of the predecessor: those that are neither
 * at or below the predecessor's domain nor among its related origins (WebAuthn L3 §5.11).
 */
export function moveWarnings(
  successor: DomainOfMove,
  predecessor: DomainOfMove,
): readonly Problem[] {
  const { relatedOrigins } = predecessor.wellKnown;
  const unrelated = successor.origins.filter((origin) => {
    const host = hostOfOrigin(origin);
    if (host === undefined || isAtOrBelow(host, predecessor.domain)) return false;
    return !relatedOrigins.some((related) => originAllowed(related, [origin]));
  });
  if (unrelated.length === 0) return [];
  const values = { domain: predecessor.domain, origins: unrelated.join(', ') };
  return [problem('predecessor.notRelated', values)];
}

/** Warnings about these related origins. */
export function relatedWarnings(relatedOrigins: readonly string[]): readonly Problem[] {
  const hosts = relatedOrigins.map((origin) => hostOfOrigin(origin) ?? origin);
  const labels = [...new Set(hosts.map(registrableLabel))];
  if (labels.length <= SUPPORTED_LABELS) return [];
  const beyond = labels.slice(SUPPORTED_LABELS).join(', ');
  return [problem('relatedOrigins.tooMany', { most: SUPPORTED_LABELS, beyond })];
}
