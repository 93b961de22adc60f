import type { ServerOptions } from '../../platform/config/server-options.js';
import { enforced } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { hasUnprovedModels } from '../../trust/whitelist/unproved-models.js';
import { toMend } from './setup-finding.js';
import type { SetupFinding } from './setup-finding.js';

const OPEN_REGISTRATION = toMend('open-registration');
const NO_AUTHENTICATION = toMend('no-authentication');
const UNPROVED_MODELS = toMend('unproved-models');

/** Findings that any caller of the server finds out anyway, so that pages may show them to everybody. */
export function openFindings(
  options: Pick<ServerOptions, 'auth' | 'registration' | 'aaguid' | 'mds'>,
  relyingParties: readonly Pick<RelyingParty, 'policy'>[],
): SetupFinding[] {
  const { auth, registration } = options;
  const open =
    registration === 'open' &&
    relyingParties.some(({ policy }) => (enforced(policy.registration) ?? 'open') === 'open');
  return [
    ...(open ? [OPEN_REGISTRATION] : []),
    ...(auth ? [] : [NO_AUTHENTICATION]),
    ...(hasUnprovedModels(options, relyingParties) ? [UNPROVED_MODELS] : []),
  ];
}
