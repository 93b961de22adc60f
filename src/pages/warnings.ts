import type { ServerOptions } from '../config/server-options.js';
import { enforced } from '../tenancy/policy.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { UNPROVED_MODELS, hasUnprovedModels } from '../trust/whitelist/unproved-models.js';
import type { Warning } from '../presentation/page.view.js';

const OPEN_REGISTRATION: Warning = {
  title: 'Registration is open.',
  text: 'Whoever reaches this server can add a key to any user name. That is right behind a backend of yours; in front of browsers, start with --registration first-only or ticket.',
};
const NO_AUTHENTICATION: Warning = {
  title: 'The administration has no password.',
  text: 'The server was started with --auth off: whoever reaches it can administer it.',
};

/** What is set up in a way that its operator should know. */
export function warningsOf(
  options: Pick<ServerOptions, 'auth' | 'registration' | 'aaguid' | 'mds'>,
  relyingParties: readonly Pick<RelyingParty, 'policy'>[],
): Warning[] {
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
