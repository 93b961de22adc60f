import type { RegistrationMode, ServerOptions } from '../../platform/config/server-options.js';
import { enforced } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';

/** The modes, from lenient to strict. */
const MODES: readonly RegistrationMode[] = ['open', 'first-only', 'ticket'];

export const stricter = (one: RegistrationMode, other: RegistrationMode): RegistrationMode =>
  MODES.indexOf(one) < MODES.indexOf(other) ? other : one;

/** The mode in force: the stricter of the server's option and the relying party's enforced rule. */
export const demandedMode = (
  { policy }: RelyingParty,
  { registration }: Pick<ServerOptions, 'registration'>,
): RegistrationMode => stricter(registration, enforced(policy.registration) ?? 'open');
