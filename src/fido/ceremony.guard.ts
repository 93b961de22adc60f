import { Injectable, createParamDecorator, mixin } from '@nestjs/common';
import type { CanActivate, ExecutionContext, Type } from '@nestjs/common';
import { ApiError } from '../errors/api-error.js';
import type { TenantRequest } from '../tenancy/tenancy.guard.js';
import { isObject } from '../validation/field.js';
import { originAllowed } from '../webauthn/origin.js';
import { Ceremonies } from './ceremonies.js';
import type { CeremonyKind, Pending } from './ceremony.js';

/** A request after the guard. */
export interface CeremonyRequest extends TenantRequest {
  body: unknown;
  pending: Pending;
}

/**
 * Takes the pending ceremony of a result call before anything in the body is judged: it is used
 * then, whatever the outcome.
 */
export function TakesCeremony(kind: CeremonyKind): Type<CanActivate> {
  @Injectable()
  class CeremonyGuard implements CanActivate {
    constructor(private readonly ceremonies: Ceremonies) {}

    async canActivate(context: ExecutionContext): Promise<boolean> {
      const request = context.switchToHttp().getRequest<CeremonyRequest>();
      const { relyingParty, session, sessionID, headers } = request;
      const name = session?.begun ? sessionID : undefined;
      const challenge = challengeOf(request.body);
      request.pending = await this.ceremonies.take(relyingParty, kind, name, challenge);
      // Nothing of the session is to be kept, so express-session has nothing to compare and to save.
      Object.assign(request, { session: null });
      const { origin } = headers;
      if (origin !== undefined && !originAllowed(origin, relyingParty.origins)) {
        throw new ApiError('E0029R');
      }
      return true;
    }
  }
  return mixin(CeremonyGuard);
}

/** The ceremony that the guard took. */
export const PendingCeremony = createParamDecorator(
  (_: unknown, context: ExecutionContext): Pending =>
    context.switchToHttp().getRequest<CeremonyRequest>().pending,
);

/** The challenge that the client data names, as far as it can be read; nothing is judged here. */
function challengeOf(body: unknown): string {
  const response = isObject(body) ? body['response'] : undefined;
  const text = isObject(response) ? response['clientDataJSON'] : undefined;
  if (typeof text !== 'string') return '';
  try {
    const clientData: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const challenge = isObject(clientData) ? clientData['challenge'] : undefined;
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}
