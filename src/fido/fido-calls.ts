import { Controller, UseGuards, UseInterceptors, applyDecorators } from '@nestjs/common';
import type { SessionData } from 'express-session';
import { JsonGuard } from '../platform/http/body/json-body.js';
import { ApiBearerAuth, ApiHeader } from '../platform/http/openapi/openapi.js';
import { ForReader } from '../platform/http/openapi/operation.js';
import { TenantInterceptor } from '../tenancy/scope/tenant.interceptor.js';
import { AddressLimitGuard } from './limits/address-limit.guard.js';
import { newKeySession, type KeySession } from './ceremonies/key-session.js';
import type { CallerSession } from './ceremonies/stores/ceremony-store.js';
import type { Caller } from './limits/rate-limits.js';

/** A session: its name, and whether a ceremony was ever begun in it. */
export interface FidoSession extends Pick<SessionData, 'begun'> {
  readonly id: string;
}

/** The session in which a ceremony waits: the one in the cookie, or a new one for an application. */
export const sessionFor = (
  { key, callers }: Caller,
  { id }: FidoSession,
): CallerSession | KeySession => (key ? newKeySession(key, callers) : { id, callers });

/** The begin call's answer. It sets the session cookie or, for an application, contains the session's name. */
export function beginAnswer<Options extends object>(
  session: FidoSession,
  own: CallerSession | KeySession,
  options: Options,
) {
  if ('ceremony' in own) return { ...options, ceremony: own.ceremony };
  session.begun = true;
  return options;
}

/** Headers of the calls, for the docs. */
export const RATE_LIMIT_HEADERS = {
  RateLimit: 'remaining calls of each limit, and seconds until it is full again',
  'RateLimit-Policy': 'limits of the calls (draft-ietf-httpapi-ratelimit-headers)',
};

export const SESSION_HEADERS = {
  'Set-Cookie':
    'session cookie for the result call; with an application key, `ceremony` replaces it',
};

/**
 * A controller of calls for the users of a relying party. Before the handler, each call is checked in this order,
 * and the first fault is reported: JSON, the limit of the address, the relying party.
 */
export const FidoApi = (path: string) =>
  applyDecorators(
    ForReader('integrator'),
    ApiHeader({
      name: 'X-ServiceFido-RelyingParty',
      required: false,
      example: 'localhost',
      description:
        'domain of the relying party; by default the one of --domain, else the one of the Origin ' +
        'header',
    }),
    UseGuards(JsonGuard, AddressLimitGuard),
    UseInterceptors(TenantInterceptor),
    Controller(path),
  );

/**
 * A controller of the calls of ceremonies. They are also checked for the pending ceremony (if the call ends one) and
 * for the fields of the body.
 */
export const FidoCalls = () =>
  applyDecorators(
    ApiBearerAuth(),
    ApiHeader({
      name: 'X-ServiceFido-Client-Address',
      required: false,
      description:
        'IP address of the client on whose behalf the application calls; only with an ' +
        'application key',
    }),
    FidoApi('fidoapi'),
  );
