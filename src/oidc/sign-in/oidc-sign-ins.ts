import { Injectable } from '@nestjs/common';
import type { InteractionResults } from 'oidc-provider';
import type { AuthenticationResultDto } from '../../fido/authentication/authentication.dto.js';
import {
  belongsToPredecessor,
  type PendingAuthentication,
} from '../../fido/ceremonies/ceremony.js';
import { quantizeDuration } from '../../fido/quantize-duration.js';
import { PageSignIns, type PageSignIn } from '../../issuers/page-sign-ins.js';
import { Clock } from '../../platform/common/clock.js';
import { SECOND_MS } from '../../platform/common/durations.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  CredentialReader,
  credentialHashOf,
  type StoredCredential,
} from '../../users/credentials/credential-reader.js';
import { userIdAt } from '../../users/moves/move-steps.js';
import { Moves } from '../../users/moves/moves.js';
import { signInText, type SignInFacts } from '../records/sign-in-facts.js';
import type { Interaction } from './interaction.guard.js';

/** Completes ceremonies as the four calls do, and then the authorization request for which the user signs in. */
@Injectable()
export class OidcSignIns {
  constructor(
    private readonly page: PageSignIns,
    private readonly reader: CredentialReader,
    private readonly moves: Moves,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the answer of `PageSignIns.complete`, and `returnTo`, where the browser continues
   * @throws ApiError as `PageSignIns.complete`
   */
  async complete(
    interaction: Interaction,
    call: PageSignIn,
    pending: PendingAuthentication,
    dto: AuthenticationResultDto,
  ) {
    const { rp } = call;
    // Read before the ceremony ends: a lock-out from now on ends the session.
    const read = () => this.signInFacts(rp, pending, dto);
    const facts = await (rp.policy.unknownUsers === 'pretend' ? quantizeDuration(read) : read());
    const { answer, proof } = await this.page.complete(call, pending, dto);
    if (!facts) throw new ApiError('E0024R', 'session.used');
    const returnTo = await endWith(interaction, {
      login: {
        accountId: facts.userId.toString('base64url'),
        acr: proof.acr,
        amr: [...proof.amr],
        remember: false,
        // Otherwise auth_time would be the time at which the browser comes back to the provider.
        ts: Math.floor(this.clock.now() / SECOND_MS),
        signIn: signInText(facts),
      },
    });
    return { ...answer, returnTo };
  }

  /** Ends an interaction without a sign-in: the client gets `access_denied`. */
  async cancel(interaction: Interaction): Promise<string> {
    return endWith(interaction, {
      error: 'access_denied',
      error_description: 'the user did not sign in',
    });
  }

  /** The key that a result call names and the user whom it signs in here, as they are stored now. */
  private async signInFacts(
    rp: RelyingParty,
    pending: PendingAuthentication,
    { id }: AuthenticationResultDto,
  ): Promise<SignInFacts | undefined> {
    const owner = belongsToPredecessor(pending) ? this.moves.predecessorForSignIn(rp) : rp;
    const hash = credentialHashOf(Buffer.from(id, 'base64url'));
    const credential = owner && (await this.reader.findByHash(owner, hash));
    if (!credential) return undefined;
    const user = belongsToPredecessor(pending)
      ? await this.movedUser(rp, pending.movesTo, credential)
      : credential;
    const { userId, lockouts } = user;
    const { id: credentialId, disablings } = credential;
    return { userId, lockouts, credentialId, credentialPartyId: owner.id, disablings };
  }

  /** The user here of a key of the predecessor. */
  private async movedUser(
    rp: RelyingParty,
    movesTo: string | undefined,
    credential: StoredCredential,
  ) {
    const userId =
      movesTo === undefined ? userIdAt(rp, credential.userId) : Buffer.from(movesTo, 'base64url');
    const user = await this.reader.findUserById(rp, userId);
    return { userId, lockouts: user?.lockouts ?? 0 };
  }
}

/**
 * Stores how an interaction ended, as `interactionResult` of the provider does, which would read the interaction and its
 * client again.
 *
 * @returns where the browser continues
 */
async function endWith(interaction: Interaction, result: InteractionResults): Promise<string> {
  interaction.result = result;
  await interaction.persist();
  return interaction.returnTo;
}
