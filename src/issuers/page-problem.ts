import type { ServerOptions } from '../platform/config/server-config.js';
import { problem, type Problem } from '../platform/errors/reasons.js';
import type { RelyingPartyPolicy } from '../tenancy/policy/policy.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { originAllowed } from '../webauthn/origin.js';
import { originOf } from './issuer-address.js';

/** What decides about the page, of a stored relying party too. */
interface PageOwner extends Pick<RelyingParty, 'domain' | 'origins'> {
  readonly policy: Pick<RelyingPartyPolicy, 'callers'>;
}

/**
 * Why users of a relying party cannot sign in on the page of its issuers; `undefined` if they can. The page is at this
 * server's origin, and calls without an application key.
 */
export function pageProblem(
  options: Pick<ServerOptions, 'issuer'>,
  { domain, origins, policy }: PageOwner,
): Problem | undefined {
  const origin = originOf(options);
  if (!originAllowed(origin, origins)) {
    return problem('oidc.originNotAllowed', { origin, domain });
  }
  return policy.callers === 'keys' ? problem('oidc.onlyKeys', { origin, domain }) : undefined;
}
