import { isOrigin } from '../../platform/validation/values/domain.js';
import type { RelyingParty } from '../relying-party.js';
import { PROGRAM } from '../../platform/program.js';

/**
 * Returns the shell command that adds an origin to those of a relying party.
 *
 * @returns `undefined` if the origin does not belong to a single page or app
 */
export function allowOriginCommand(
  { tenant, domain, listedOrigins }: RelyingParty,
  origin: string,
): string | undefined {
  if (!isOrigin(origin) || origin.includes('*')) return undefined;
  const body = JSON.stringify({ origins: [...listedOrigins, origin] });
  return `echo '${body}' | ${PROGRAM} relying-party change ${tenant} ${domain} -`;
}
