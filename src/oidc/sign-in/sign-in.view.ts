import type { Provider } from 'oidc-provider';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { isKnownName } from '../../platform/validation/values/names.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { requestedAcrs } from '../provider/sign-in-policy.js';
import { userFacingFrame } from '../../platform/pages/page.view.js';
import type { Interaction } from './interaction.guard.js';

/** A call for an interaction that the browser of the request has begun. */
export interface InteractionCall {
  readonly rp: RelyingParty;
  readonly provider: Provider;
  readonly interaction: Interaction;
}

/** The sign-in page, with the names of the relying party and of the application. */
export async function signInView({ rp, provider, interaction }: InteractionCall) {
  const { params, session } = interaction;
  const client = await provider.Client.find(String(params['client_id']));
  const hint = params['login_hint'];
  return {
    ...userFacingFrame(phrase('oidc:signIn.title'), rp),
    client: client?.clientName,
    /** The user name that the application expects. */
    hint: isKnownName(hint) ? hint : undefined,
    /** Whether the browser has a session, which is too old or too weak. */
    isAgain: session?.accountId !== undefined,
    needsHardware: isOnlyHardware(requestedAcrs(params)),
    scripts: ['/static/js/user-facing/oidc-sign-in.js'],
  };
}

const isOnlyHardware = (acrs: readonly string[]): boolean =>
  acrs.length > 0 && acrs.every((acr) => acr === 'phrh');
