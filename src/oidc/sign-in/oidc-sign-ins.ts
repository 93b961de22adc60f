import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { readAssertion } from '../../fido/authentication/assertion-verifier.js';
import { AuthenticationService } from '../../fido/authentication/authentication.service.js';
import type { AuthenticationResultDto } from '../../fido/authentication/authentication.dto.js';
import {
  belongsToPredecessor,
  type PendingAuthentication,
} from '../../fido/ceremonies/ceremony.js';
import { sessionFor, type CookieSession } from '../../fido/ceremonies/caller-session.js';
import { RateLimits, type Caller } from '../../fido/limits/rate-limits.js';
import { CeremonyTally } from '../../fido/tally/ceremony-tally.js';
import { Clock } from '../../platform/common/clock.js';
import { SECOND_MS } from '../../platform/common/durations.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  CredentialReader,
  credentialHashOf,
  type StoredCredential,
} from '../../users/credentials/credential-reader.js';
import { Moves } from '../../users/moves/moves.js';
import { userIdAt } from '../../users/moves/move-steps.js';
import { originOf } from '../issuer-address.js';
import { signInText } from '../records/sign-in-facts.js';
import type { InteractionCall } from './sign-in.view.js';

/** A sign-in on this server's page: the interaction that waits for it, and the browser's ceremony. */
interface SignInCall extends InteractionCall {
  readonly caller: Caller;
  readonly session: CookieSession;
}

/** Completes ceremonies as the four calls do, and then the authorization request for which the user signs in. */
@Injectable()
export class OidcSignIns {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly limits: RateLimits,
    private readonly tally: CeremonyTally,
    private readonly reader: CredentialReader,
    private readonly moves: Moves,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * @returns the answer of the result call without its token, and `returnTo`, where the browser continues
   * @throws ApiError as `AuthenticationService.complete`; E0029R also for a page that only the four calls allow
   */
  async complete(call: SignInCall, pending: PendingAuthentication, dto: AuthenticationResultDto) {
    const { rp, provider, interaction, request, caller, session } = call;
    this.limits.countUser(caller, rp, pending.username);
    readAssertion(this.atThisPage(rp), pending, dto);
    // Read before the ceremony ends: a lock-out from now on ends the session.
    const key = await this.keyOf(rp, pending, dto);
    const answer = await this.authentication.complete(rp, pending, dto, {
      client: caller.client,
      session: () => sessionFor(caller, session),
      application: `oidc ${String(interaction.params['client_id'])}`,
    });
    this.tally.finished(rp, caller, pending, answer.aaguid);
    if (!key) throw new ApiError('E0024R', 'session.used');
    const { credential, signIn } = key;
    const returnTo = await provider.interactionResult(request, responseOf(request), {
      login: {
        accountId: signIn.userId.toString('base64url'),
        acr: isHardware(credential) ? 'phrh' : 'phr',
        amr: amrOf(credential, answer.userVerified),
        remember: false,
        // Otherwise auth_time would be the time at which the browser comes back to the provider.
        ts: Math.floor(this.clock.now() / SECOND_MS),
        signIn: signInText(signIn),
      },
    });
    return { ...answer, token: undefined, returnTo };
  }

  /** Ends an interaction without a sign-in: the client gets `access_denied`. */
  async cancel({ provider, request }: InteractionCall): Promise<string> {
    const result = { error: 'access_denied', error_description: 'the user did not sign in' };
    return provider.interactionResult(request, responseOf(request), result);
  }

  /** The relying party with only this server's page, not embedded: others that it allows sign nobody in here. */
  private atThisPage(rp: RelyingParty): RelyingParty {
    const origins = [originOf(this.options)];
    return { ...rp, origins, policy: { ...rp.policy, topOrigins: [] } };
  }

  /** The key that a result call names, and the user whom it signs in here. */
  private async keyOf(
    rp: RelyingParty,
    pending: PendingAuthentication,
    { id }: AuthenticationResultDto,
  ) {
    const isMoving = belongsToPredecessor(pending);
    const owner = isMoving ? this.moves.formerOf(rp) : rp;
    const hash = credentialHashOf(Buffer.from(id, 'base64url'));
    const credential = owner && (await this.reader.findByHash(owner, hash));
    if (!credential) return undefined;
    const movedId =
      isMoving && pending.movesTo !== undefined
        ? Buffer.from(pending.movesTo, 'base64url')
        : userIdAt(rp, credential.userId);
    const userId = isMoving ? movedId : credential.userId;
    const user = await this.reader.findUserById(rp, userId);
    const { credentialHash } = credential;
    const lockouts = user?.lockouts ?? 0;
    return {
      credential,
      signIn: { userId, lockouts, credentialHash, credentialPartyId: owner.id },
    };
  }
}

/** As `acrOf` of the tokens; a key of which it is not known yet whether it can be synced counts as synced. */
const isHardware = ({ attestationTrusted, backupEligible }: StoredCredential): boolean =>
  attestationTrusted && backupEligible === false;

/** RFC 8176; as in the tokens of the four calls. */
const amrOf = ({ backupEligible, uvInitialized }: StoredCredential, userVerified: boolean) => [
  backupEligible === false ? 'hwk' : 'swk',
  'user',
  ...(userVerified && uvInitialized ? ['mfa'] : []),
];

function responseOf({ res: response }: Request) {
  if (!response) throw new Error('The request has no response.');
  return response;
}
