import {
  Injectable,
  SetMetadata,
  UseInterceptors,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { ApiError } from '../../errors/api-error.js';
import { Refuses } from '../../errors/refusals.js';
import { isObject } from '../../validation/field.js';
import { challengeIn } from '../../webauthn/client-data.js';
import { originAllowed } from '../../webauthn/origin.js';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import { Clients } from '../clients.js';
import { Ceremonies, NO_CHALLENGE } from './ceremonies.js';
import type { CeremonyKind, Pending } from './ceremony.js';
import { namedKeySession } from './key-session.js';

const KIND = 'servicefido:completes';
const GIVES_UP = 'servicefido:gives-up';

declare module 'express-serve-static-core' {
  interface Request {
    /** The ceremony that a result call took. */
    pending?: Pending;
  }
}

/**
 * Takes the ceremony that a result call names before the pipe looks at the body: it is used then,
 * whatever comes of it. (Not in a parameter decorator: Nest resolves parameters side by side, and a
 * malformed body would answer before a session that has ended.)
 */
@Injectable()
@Refuses('E0024R', 'E0028R', 'E0029R')
export class CeremonyInterceptor implements NestInterceptor {
  constructor(
    private readonly ceremonies: Ceremonies,
    private readonly clients: Clients,
  ) {}

  /** @throws ApiError E0024R as `Ceremonies.take`, E0029R for a page of another relying party */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const { relyingParty: rp, body } = request;
    if (rp === undefined) throw new Error('no tenant interceptor stands before this call');
    const handler = context.getHandler();
    const kind = Reflect.getMetadata(KIND, handler) as CeremonyKind;
    const challenge = Reflect.getMetadata(GIVES_UP, handler) ? namedIn(body) : challengeOf(body);
    request.pending = await this.ceremonies.take(rp, kind, sessionOf(request), challenge);
    if (request.caller) request.caller.client = this.clients.of(request);
    // Nothing of the session is to be kept, so express-session has nothing to compare and to save.
    Object.assign(request, { session: null });
    const { origin } = request.headers;
    if (origin !== undefined && !originAllowed(origin, rp.origins)) throw new ApiError('E0029R');
    return next.handle();
  }
}

/** A registration that is repeated takes no ceremony: an application is told again what came of it. */
const BEFORE = { registration: [IdempotencyInterceptor], authentication: [] } as const;

/** A result call, and the kind of ceremony that it completes. */
export const Completes = (kind: CeremonyKind) =>
  applyDecorators(SetMetadata(KIND, kind), UseInterceptors(...BEFORE[kind], CeremonyInterceptor));

/** A call that ends a ceremony by its challenge, since no key answered it. */
export const GivesUp = (kind: CeremonyKind) =>
  applyDecorators(
    SetMetadata(KIND, kind),
    SetMetadata(GIVES_UP, true),
    UseInterceptors(CeremonyInterceptor),
  );

/** The ceremony that the call completes; only behind `Completes` or `GivesUp`. */
export const PendingCeremony = createParamDecorator(
  (_: unknown, context: ExecutionContext): Pending => {
    const { pending } = context.switchToHttp().getRequest<Request>();
    if (pending === undefined) throw new Error('no ceremony was taken before this call');
    return pending;
  },
);

/** The session of a result call by its name, for a ceremony that follows; the cookie is there already. */
export const CurrentSession = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { sessionID: id } = context.switchToHttp().getRequest<Request>();
  return { id };
});

/** The session of the begin call: an application names it in the body, anybody else by the cookie. */
function sessionOf({ caller, session, sessionID, body }: Request): string | undefined {
  if (caller?.key) return namedKeySession(caller.key, isObject(body) && body['ceremony']);
  return session?.begun ? sessionID : undefined;
}

/** The challenge that a body names itself; one that was never issued where it names none. */
function namedIn(body: unknown): string {
  const challenge = isObject(body) ? body['challenge'] : undefined;
  return typeof challenge === 'string' && challenge !== '' ? challenge : NO_CHALLENGE;
}

/** The challenge that the client data of a body name; empty where there is none to be read. */
function challengeOf(body: unknown): string {
  const response = isObject(body) ? body['response'] : undefined;
  const text = isObject(response) ? response['clientDataJSON'] : undefined;
  return typeof text === 'string' ? challengeIn(Buffer.from(text, 'base64url')) : '';
}
