import type { RegistrationMode, ServerOptions } from '../../config/server-options.js';
import { enforced } from '../../tenancy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';

/** From lenient to strict. */
const MODES: readonly RegistrationMode[] = ['open', 'first-only', 'ticket'];

export const stricter = (one: RegistrationMode, other: RegistrationMode): RegistrationMode =>
  MODES.indexOf(one) < MODES.indexOf(other) ? other : one;

/** What a registration needs: the stricter of the server's and the relying party's rule. */
export const demandedMode = (
  { policy }: RelyingParty,
  { registration }: Pick<ServerOptions, 'registration'>,
): RegistrationMode => stricter(registration, enforced(policy.registration) ?? 'open');
