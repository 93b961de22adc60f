import { Injectable } from '@nestjs/common';
import type { AuthenticationResultDto } from '../fido/authentication/authentication.dto.js';
import { belongsToPredecessor, type PendingAuthentication } from '../fido/ceremonies/ceremony.js';
import { OidcClients } from '../issuers/clients/oidc-clients.js';
import { PageSignIns, type PageSignIn } from '../issuers/page-sign-ins.js';
import { ApiError } from '../platform/errors/api-error.js';
import { readRequest, type AuthorizationDto } from './authorization-request.js';
import { cloudOf } from './clouds.js';
import { EntraIssuer } from './entra-issuer.js';
import { EntraUsers, type NoSignIn } from './entra-users.js';
import { allowForms, backPage, type EntraError } from './entra.view.js';
import { EntraAway } from './hint-keys.js';
import { HintVerifier } from './hint-verifier.js';
import { PendingSignIns, interactionOver } from './pending-sign-ins.js';

/** The sign-ins that Entra ID asks for. */
@Injectable()
export class EntraSignIns {
  constructor(
    private readonly clients: OidcClients,
    private readonly hints: HintVerifier,
    private readonly users: EntraUsers,
    private readonly pending: PendingSignIns,
    private readonly page: PageSignIns,
    private readonly issuer: EntraIssuer,
  ) {}

  /**
   * Judges a request of Entra ID, and begins the sign-in of its user.
   *
   * @returns the path of the sign-in page
   * @throws ApiError E0044R for an unknown client, E0045R for an address that is none of Entra's, E0040R; all others with
   *   a page that leads back to Entra
   */
  async begin(call: PageSignIn, dto: AuthorizationDto): Promise<string> {
    const { rp, request } = call;
    const { client_id: clientId = '', redirect_uri: redirectUri, state } = dto;
    const client = await this.clients.findOfIssuer(rp, 'entra', clientId);
    if (!client?.entra) throw new ApiError('E0044R', 'oidc.noClient');
    const cloud = cloudOf(redirectUri);
    if (!cloud) throw new ApiError('E0045R', 'entra.redirectUri');
    const target = { redirectUri: cloud.redirectUri, state };
    const back = (error: EntraError, why: NoSignIn | 'fault' = 'fault') => {
      allowForms(request, cloud.origin);
      return { page: backPage(request, rp, { target, error, why }) };
    };

    const wanted = readRequest(dto);
    if (typeof wanted === 'string')
      throw new ApiError('E0045R', 'entra.request', { field: wanted }, back('invalid_request'));
    const { hint, nonce, acr } = wanted;
    const settings = client.entra;
    const sent = { hint, cloud, clientId, settings };
    const found = await this.hints.verify(sent).catch((cause: unknown) => {
      if (!(cause instanceof EntraAway)) throw cause;
      throw new ApiError('E0052R', 'entra.away', {}, { cause, ...back('temporarily_unavailable') });
    });
    if (!found) throw new ApiError('E0045R', 'entra.hint', {}, back('invalid_request'));
    const user = await this.users.find(rp, settings, found);
    if (typeof user === 'string') {
      const parts = { status: 403, detail: user, ...back('access_denied', user) };
      throw new ApiError(null, 'user.noUsableKey', {}, parts);
    }
    const signIn = {
      clientId,
      changedAt: client.changedAt,
      nonce,
      acr,
      ...target,
      hint: found,
      userId: user.id.toString('base64url'),
      username: user.username,
    };
    return this.pending.begin(call, hint, signIn);
  }

  /**
   * Completes the ceremony of the user whom the hint named.
   *
   * @param id of the pending sign-in
   * @returns the answer of `PageSignIns.complete`, and the ID token for Entra
   * @throws ApiError E0024R for a sign-in that has ended, or whose hint names another user by now; E0033R for another
   *   user's ceremony; as `PageSignIns.complete`
   */
  async complete(
    call: PageSignIn,
    id: string,
    pending: PendingAuthentication,
    dto: AuthenticationResultDto,
  ) {
    const { rp, request } = call;
    const signIn = await this.pending.find(rp, id, request);
    const { clientId } = signIn;
    request.application = `entra ${clientId}`;
    const client = await this.clients.findOfIssuer(rp, 'entra', clientId);
    if (!client?.entra || client.changedAt !== signIn.changedAt) throw interactionOver();
    const userId = belongsToPredecessor(pending) ? pending.movesTo : pending.user;
    if (userId !== signIn.userId) throw new ApiError('E0033R');
    const { answer } = await this.page.complete(call, pending, dto);
    // A directory may have given the hint's ID or name to another user in the meantime.
    const named = await this.users.find(rp, client.entra, signIn.hint);
    if (typeof named === 'string' || named.id.toString('base64url') !== signIn.userId)
      throw interactionOver();
    await this.pending.finish(call, id, signIn.hint);
    return { ...answer, idToken: await this.issuer.idToken(rp, signIn) };
  }
}
