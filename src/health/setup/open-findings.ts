import type { ServerOptions } from '../../config/server-options.js';
import { enforced } from '../../tenancy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { UNPROVED_MODELS, hasUnprovedModels } from '../../trust/whitelist/unproved-models.js';
import type { SetupFinding } from './setup-finding.js';

const OPEN_REGISTRATION: SetupFinding = {
  title: 'Registration is open.',
  text: 'Whoever reaches this server can add a key to any user name.',
  mend: 'That is right behind a backend of yours; in front of browsers, start with --registration first-only or ticket.',
  urgent: true,
};
const NO_AUTHENTICATION: SetupFinding = {
  title: 'The administration has no password.',
  text: 'The server was started with --auth off: whoever reaches it can administer it.',
  mend: 'Start it without --auth off.',
  urgent: true,
};

/** What whoever calls the server finds out anyway, so that pages say it to everybody. */
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
    ...(hasUnprovedModels(options, relyingParties) ? [{ ...UNPROVED_MODELS, urgent: true }] : []),
  ];
}
