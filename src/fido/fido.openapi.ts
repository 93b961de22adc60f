import { applyDecorators } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiCookieAuth,
  ApiHeader,
  ApiOperation,
  ApiResponse,
} from '../http/openapi.js';
import { SESSION_COOKIE } from './ceremonies/session.js';

const relyingParty = ApiHeader({
  name: 'X-ServiceFido-RelyingParty',
  required: false,
  description: 'domain of the relying party; else --domain, else the Origin header decides',
});

const client = ApiHeader({
  name: 'X-ServiceFido-Client-Address',
  required: false,
  description: 'with an application key: the address of the client for whom it calls',
});

interface Words {
  readonly summary: string;
  readonly answer: string;
}

/** What OpenAPI says of a begin call. */
export function ApiCeremony(type: Type, { summary, answer }: Words): MethodDecorator {
  return applyDecorators(
    ApiBody({ type }),
    relyingParty,
    client,
    ApiBearerAuth(),
    ApiOperation({ summary }),
    ApiResponse({
      status: 200,
      description:
        `${answer}; sets the cookie "${SESSION_COOKIE}", or has "ceremony". "warnings", an array of ` +
        'sentences, is there only where the body had fields that this call does not know, and ignored',
    }),
    ApiResponse({ status: 400, description: 'E0001R, E0023R, E0025R or E0026R' }),
    ApiResponse({ status: 403, description: 'no account, or E0043R' }),
  );
}

/** What OpenAPI says of a result call. */
export function ApiResult(type: Type, { summary, answer }: Words): MethodDecorator {
  return applyDecorators(
    ApiBody({ type }),
    relyingParty,
    client,
    ApiCookieAuth(SESSION_COOKIE),
    ApiBearerAuth(),
    ApiOperation({ summary }),
    ApiResponse({ status: 200, description: answer }),
    ApiResponse({ status: 401, description: 'the response does not verify; the code says where' }),
    ApiResponse({ status: 408, description: 'E0024R: no pending ceremony, used, or too late' }),
  );
}
