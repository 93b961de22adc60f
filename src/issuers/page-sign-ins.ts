import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { readAssertion } from '../fido/authentication/assertion-verifier.js';
import { AuthenticationService } from '../fido/authentication/authentication.service.js';
import type { AuthenticationResultDto } from '../fido/authentication/authentication.dto.js';
import type { PendingAuthentication } from '../fido/ceremonies/ceremony.js';
import { sessionFor, type CookieSession } from '../fido/ceremonies/caller-session.js';
import { RateLimits, type Caller } from '../fido/limits/rate-limits.js';
import { CeremonyTally } from '../fido/tally/ceremony-tally.js';
import { fromRequest } from '../platform/common/from-request.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { originOf } from './issuer-address.js';

/** A call for a sign-in on this server's page. */
export interface PageSignIn {
  readonly rp: RelyingParty;
  readonly caller: Caller;
  readonly session: CookieSession;
  /** Its `application` is for the event. */
  readonly request: Request;
}

/** Requires `TenantInterceptor` and `FidoCallerGuard`. */
export const CurrentPageSignIn = fromRequest((request): PageSignIn => {
  const { relyingParty: rp, caller, sessionID: id } = request;
  if (!rp || !caller) throw new Error('The call has no relying party, or no caller.');
  return { rp, caller, session: { id }, request };
});

/** Completes ceremonies on this server's page as the four calls do. */
@Injectable()
export class PageSignIns {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly limits: RateLimits,
    private readonly tally: CeremonyTally,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /**
   * @returns the answer of the result call without its token, which is for nobody here, and what the token of an issuer
   *   says about the sign-in
   * @throws ApiError as `AuthenticationService.complete`; E0029R also for a page that only the four calls allow
   */
  async complete(
    { rp, caller, session, request }: PageSignIn,
    pending: PendingAuthentication,
    dto: AuthenticationResultDto,
  ) {
    this.limits.countUser(caller, rp, pending.username);
    readAssertion(this.atThisPage(rp), pending, dto);
    const { answer, proof } = await this.authentication.complete(rp, pending, dto, {
      client: caller.client,
      session: () => sessionFor(caller, session),
      application: request.application,
    });
    this.tally.finished(rp, caller, pending, answer.aaguid);
    return { answer: { ...answer, token: undefined }, proof };
  }

  /** The relying party with only this server's page, not embedded: others that it allows sign nobody in here. */
  private atThisPage(rp: RelyingParty): RelyingParty {
    const origins = [originOf(this.options)];
    return { ...rp, origins, policy: { ...rp.policy, topOrigins: [] } };
  }
}
