import {
  HttpCode,
  Inject,
  Injectable,
  UseInterceptors,
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { fromRequest } from '../../platform/common/from-request.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import { ApiCookieAuth } from '../../platform/http/openapi/openapi.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { challengeIn } from '../../webauthn/client-data.js';
import { failWithoutRelyingParty } from '../../tenancy/scope/tenant.interceptor.js';
import { originAllowed } from '../../webauthn/origin.js';
import { originNotAllowed } from '../refusals/failure-codes.js';
import { eventClient } from '../limits/fido-caller.guard.js';
import { Ceremonies } from './ceremonies.js';
import type { CeremonyKind, Pending } from './ceremony.js';
import { namedKeySession } from './caller-session.js';
import { FIDO_SESSION_COOKIE, hasSecureCookie } from './session.js';

/** Not Base64URL, as challenges are. */
const NEVER_ISSUED = '*';

/** Which ceremony a call takes. */
interface CeremonyToTake {
  readonly kind: CeremonyKind;
  readonly challengeOf: (body: unknown) => string;
}

const CeremonyTaken = Reflector.createDecorator<CeremonyToTake>();

declare module 'express-serve-static-core' {
  interface Request {
    /** The ceremony that a result call took. */
    pending?: Pending;
  }
}

/**
 * Takes the ceremony that a result call names before the pipe validates the body: it is used up, whether or
 * not the call succeeds. (A parameter decorator would not do: Nest resolves parameters in parallel, and a
 * malformed body would be reported before an expired session.)
 */
@Injectable()
@Refuses('E0024R', 'E0028R', 'E0029R')
class CeremonyInterceptor implements NestInterceptor {
  constructor(
    private readonly ceremonies: Ceremonies,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly reflector: Reflector,
  ) {}

  /** @throws ApiError E0024R as `Ceremonies.take`, E0029R for a page of another relying party */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const { relyingParty: rp, body } = request;
    if (rp === undefined) return failWithoutRelyingParty();
    const { kind, challengeOf } = this.reflector.get(CeremonyTaken, context.getHandler());
    const challenge = challengeOf(body);
    const session = sessionOf(request, (ids) => this.ceremonies.sessionOf(ids, challenge));
    request.pending = await this.ceremonies.take(rp, kind, session, challenge);
    if (request.caller) request.caller.client = eventClient(request, this.options);
    // The session has nothing to save, so this spares express-session the comparison.
    Object.assign(request, { session: null });
    const { origin } = request.headers;
    if (origin !== undefined && !originAllowed(origin, rp.origins)) throw originNotAllowed(origin);
    return next.handle();
  }
}

/** Marks a result call with the kind of ceremony that it completes. */
export const Completes = (kind: CeremonyKind) =>
  TakesCeremony({ kind, challengeOf: challengeOfClientData });

/** Marks a call that ends a ceremony by its challenge, after a prompt that ended without a key. */
export const GivesUp = (kind: CeremonyKind) => TakesCeremony({ kind, challengeOf: namedChallenge });

const TakesCeremony = (ceremony: CeremonyToTake) =>
  applyDecorators(
    CeremonyTaken(ceremony),
    UseInterceptors(CeremonyInterceptor),
    HttpCode(200),
    ApiCookieAuth(FIDO_SESSION_COOKIE),
  );

/** The ceremony that the call completes; requires `Completes` or `GivesUp`. */
export const PendingCeremony = fromRequest(({ pending }): Pending => {
  if (pending === undefined) throw new Error('no ceremony was taken before this call');
  return pending;
});

/** The session of a result call, for a ceremony that follows in it; the browser has its cookie already. */
export const CurrentSession = fromRequest(({ sessionID: id }) => ({ id }));

/**
 * The session of the begin call: named in the body by an application, by the cookie otherwise.
 *
 * @param choose picks one of the sessions of several cookies
 * @throws ApiError E0024R if neither names one
 */
function sessionOf(
  request: Request,
  choose: (ids: readonly string[]) => string | undefined,
): string {
  const { caller, session, sessionID, sessionIds, body } = request;
  if (caller?.key) {
    const named = namedKeySession(caller.key, isObject(body) && body['ceremony']);
    if (named === undefined) throw new ApiError('E0024R', 'session.ceremonyMissing');
    return named;
  }
  if (!session?.begun) throw sessionMissing(request);
  return sessionIds ? (choose(sessionIds) ?? sessionID) : sessionID;
}

/**
 * Only a begin call with an application key names its session in the answer. A page over HTTPS whose call arrives over
 * HTTP proves that a proxy in front does not say which one it uses.
 */
function sessionMissing(request: Request): ApiError {
  const { headers, relyingParty, body } = request;
  if (isObject(body) && typeof body['ceremony'] === 'string') {
    return new ApiError('E0024R', 'session.keyMissing');
  }
  const { origin = '' } = headers;
  const isProved =
    origin.startsWith('https://') &&
    originAllowed(origin, relyingParty?.origins ?? []) &&
    !hasSecureCookie(request);
  if (isProved) return new ApiError('E0024R', 'proxy.protocol', { origin });
  return new ApiError('E0024R', 'session.cookieMissing');
}

/** The challenge in the body's field `challenge`, else one that was never issued. */
function namedChallenge(body: unknown): string {
  const challenge = isObject(body) ? body['challenge'] : undefined;
  return typeof challenge === 'string' && challenge !== '' ? challenge : NEVER_ISSUED;
}

/** The challenge in the body's client data; empty if it cannot be read. */
function challengeOfClientData(body: unknown): string {
  const response = isObject(body) ? body['response'] : undefined;
  const text = isObject(response) ? response['clientDataJSON'] : undefined;
  return typeof text === 'string' ? challengeIn(Buffer.from(text, 'base64url')) : '';
}
