import { Controller, UseGuards, UseInterceptors, applyDecorators } from '@nestjs/common';
import { DryRunGuard } from '../platform/http/body/parameters.guard.js';
import { JsonGuard } from '../platform/http/body/request-body.js';
import { OkAnswer } from '../platform/http/ok.js';
import { ApiBearerAuth, ApiHeader } from '../platform/http/openapi/openapi.js';
import { ForAudience } from '../platform/http/openapi/operation.js';
import { TenantInterceptor } from '../tenancy/scope/tenant.interceptor.js';
import { AuthorizationGuard } from './ceremonies/authorization.guard.js';
import { FidoCallerGuard } from './limits/fido-caller.guard.js';

/** Headers of the calls, for the docs. */
export const RATE_LIMIT_HEADERS = {
  RateLimit: 'remaining calls of each limit, and seconds until it is full again',
  'RateLimit-Policy': 'limits of the calls (draft-ietf-httpapi-ratelimit-headers)',
};

/** The calls that report a prompt that ended without a key, for the docs. */
export const GIVEN_UP = {
  description: 'Ends the ceremony. The page sends it from the session that began the ceremony.',
  answers: OkAnswer,
  refuses: ['E0040R'],
  headersOfAll: RATE_LIMIT_HEADERS,
} as const;

export const SESSION_HEADERS = {
  'Set-Cookie':
    'session cookie for the result call; with an application key, `ceremony` replaces it',
};

/**
 * A controller of calls for the users of a relying party. Before the handler, each call is checked in this order,
 * and the first fault is reported: JSON, the limit of the address, the relying party.
 */
export const FidoApi = (path: string, parameters?: Parameters<typeof ForAudience>[1]) =>
  applyDecorators(
    ForAudience('integrator', parameters),
    ApiHeader({
      name: 'X-ServiceFido-RelyingParty',
      required: false,
      example: 'localhost',
      description:
        'domain of the relying party; by default the one of --domain, else the one of the Origin ' +
        'header',
    }),
    UseGuards(JsonGuard, FidoCallerGuard),
    UseInterceptors(TenantInterceptor),
    Controller(path),
  );

/**
 * A controller of the calls of ceremonies. They are also checked for a dry run, for their header `Authorization`, for the
 * pending ceremony (if the call ends one) and for the fields of the body.
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
    UseGuards(DryRunGuard, AuthorizationGuard),
  );
