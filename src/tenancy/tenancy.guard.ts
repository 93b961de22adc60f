import { Inject, Injectable, createParamDecorator } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SERVER_OPTIONS } from '../config/server-options.js';
import type { ServerOptions } from '../config/server-options.js';
import { originAllowed } from '../webauthn/origin.js';
import type { RelyingParty } from './relying-party.js';
import { resolveRelyingParty } from './resolve.js';
import { TenantDirectory } from './tenant-directory.js';

export const RP_HEADER = 'x-servicefido-relyingparty';

/** A request after the tenancy guard. */
export interface TenantRequest extends Request {
  relyingParty: RelyingParty;
}

/** Finds the request's relying party, or refuses with E0025R or E0026R. */
@Injectable()
export class TenancyGuard implements CanActivate {
  constructor(
    private readonly directory: TenantDirectory,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<TenantRequest>();
    const { headers } = request;
    request.relyingParty = resolveRelyingParty(
      {
        header: headers[RP_HEADER]?.toString(),
        domain: this.options.domain,
        origin: headers.origin,
      },
      this.directory.current,
      this.options.listDomains,
    );
    const { origin } = headers;
    if (origin !== undefined && !originAllowed(origin, request.relyingParty.origins)) {
      // A page of another relying party: it may not read what this one answers.
      context.switchToHttp().getResponse<Response>().removeHeader('Access-Control-Allow-Origin');
    }
    return true;
  }
}

/** The relying party that the tenancy guard found. */
export const CurrentRp = createParamDecorator(
  (_: unknown, context: ExecutionContext): RelyingParty =>
    context.switchToHttp().getRequest<TenantRequest>().relyingParty,
);
