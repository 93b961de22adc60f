import { applyDecorators } from '@nestjs/common';
import { ApiCookieAuth, ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { SESSION_COOKIE } from './session.js';

const relyingParty = ApiHeader({
  name: 'X-ServiceFido-RelyingParty',
  required: false,
  description: 'domain of the relying party; else --domain, else the Origin header decides',
});

/** What OpenAPI says of a begin call. */
export function ApiCeremony(summary: string, answer: string): MethodDecorator {
  return applyDecorators(
    relyingParty,
    ApiOperation({ summary }),
    ApiResponse({ status: 200, description: `${answer}; sets the cookie "${SESSION_COOKIE}"` }),
    ApiResponse({ status: 400, description: 'E0001R, E0023R, E0025R or E0026R' }),
    ApiResponse({ status: 403, description: 'no account, or E0043R' }),
  );
}

/** What OpenAPI says of a result call. */
export function ApiResult(summary: string, answer: string): MethodDecorator {
  return applyDecorators(
    relyingParty,
    ApiCookieAuth(SESSION_COOKIE),
    ApiOperation({ summary }),
    ApiResponse({ status: 200, description: answer }),
    ApiResponse({ status: 401, description: 'the response does not verify; the code says where' }),
    ApiResponse({ status: 408, description: 'E0024R: no pending ceremony, used, or too late' }),
  );
}
