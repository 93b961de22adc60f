import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Provider, errors } from 'oidc-provider';
import { fromRequest } from '../../platform/common/from-request.js';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { bindToRelyingParty } from '../../tenancy/scope/relying-party-finder.js';

/** An authorization request that waits for the sign-in of its user. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

declare module 'express-serve-static-core' {
  interface Request {
    /** The relying party and the provider of a path below `/oidc`; set by its middleware. */
    issuer?: { readonly rp: RelyingParty; readonly provider: Provider };
    /** Set by `InteractionGuard`. */
    interaction?: Interaction;
  }
}

/** Finds the interaction of a path by the cookie of this browser; the call is then for the relying party of the path. */
@Injectable()
@Refuses('E0024R')
export class InteractionGuard implements CanActivate {
  /** @throws ApiError E0024R if it has ended, or another browser has begun it */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { issuer, params, res: response } = request;
    if (!issuer || !response) throw new Error('The request did not pass the middleware of /oidc.');
    const interaction = await issuer.provider
      .interactionDetails(request, response)
      .catch(refuseMissing);
    if (interaction.uid !== params['uid']) throw interactionOver();
    request.interaction = interaction;
    request.application = `oidc ${String(interaction.params['client_id'])}`;
    bindToRelyingParty(request, issuer.rp);
    return true;
  }
}

/** What a handler needs of the interaction; requires `InteractionGuard`. */
export const CurrentInteraction = fromRequest(({ issuer, interaction }) => {
  if (!issuer || !interaction) throw new Error('InteractionGuard did not run before this call.');
  return { ...issuer, interaction };
});

function refuseMissing(error: unknown): never {
  throw error instanceof errors.SessionNotFound ? interactionOver() : error;
}

const interactionOver = () => new ApiError('E0024R', 'oidc.interactionOver');
