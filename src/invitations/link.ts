import { ApiError } from '../platform/errors/api-error.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { originAllowed } from '../webauthn/origin.js';

/**
 * The link that a person follows. The code stands in the fragment, which browsers send to no server.
 *
 * @param ownOrigins origins at which this server may be reached, the surest first
 * @throws ApiError E0045R where no page could register a key
 */
export function linkTo(
  { enrolmentUrl, origins, domain }: RelyingParty,
  code: string,
  ownOrigins: readonly (string | undefined)[],
): string {
  if (enrolmentUrl !== null && originAllowed(new URL(enrolmentUrl).origin, origins)) {
    return `${enrolmentUrl}#${code}`;
  }
  const own = ownOrigins.find((origin) => origin !== undefined && originAllowed(origin, origins));
  if (own === undefined) throw new ApiError('E0045R', 'invitation.noPage');
  return `${own}/enrol?relyingParty=${encodeURIComponent(domain)}#${code}`;
}
