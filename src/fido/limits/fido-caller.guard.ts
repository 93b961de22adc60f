import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Client } from '../../events/ledger.js';
import { browserAndSystem } from '../../platform/common/browser-name.js';
import { fromRequest } from '../../platform/common/from-request.js';
import { forwardedAddress, plainAddress } from '../../platform/common/network/address-group.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import { ApplicationKeyAccounts } from '../../platform/access/accounts/application-key-accounts.js';
import { secretIn } from '../../platform/access/accounts/key-secret.js';
import { ensureKeyPermission } from '../../platform/access/permissions.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { RateLimits, type Caller } from './rate-limits.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The caller, set by `FidoCallerGuard`. */
    caller?: Caller;
  }
}

/** Counts a call for its source address, or for the application whose key it contains. */
@Injectable()
@Refuses('E0001R', 'E0040R', 'E0042R', 'E0043R')
export class FidoCallerGuard implements CanActivate {
  constructor(
    private readonly limits: RateLimits,
    private readonly keys: ApplicationKeyAccounts,
  ) {}

  /** @throws ApiError E0040R, and for an application as `admit` */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const secret = secretIn(request.headers.authorization);
    if (secret !== undefined) return this.admit(request, response, secret);
    const program = request.headers['user-agent'];
    request.caller = { program, ...this.limits.countCall(request.ip, response) };
    return true;
  }

  /**
   * All users behind a backend share its address. So a call with an application key is counted for the client that
   * it names, else for the key. A call that is refused here is counted too.
   *
   * @throws ApiError E0042R for an unknown key, E0043R for one without the permission, E0001R for a malformed
   *   client address
   */
  private async admit(request: Request, response: Response, secret: string): Promise<boolean> {
    const account = await this.keys.authenticate(secret).catch((error: unknown) => {
      this.limits.countCall(request.ip, response);
      throw error;
    });
    request.user = account;
    const { key } = account;
    if (!key) throw new Error('the account of an application key lacks its permissions');
    const named = namedAddress(request);
    const client = addressIn(named);
    request.caller = this.limits.countKeyCall(key, client, response);
    ensureKeyPermission(key, 'ceremonies');
    if (named !== undefined && client === undefined)
      throw new ApiError('E0001R', 'clientAddress.malformed');
    return true;
  }
}

/** The caller; requires `FidoCallerGuard`. */
export const CurrentCaller = fromRequest(({ caller }): Caller => {
  if (caller === undefined) throw new Error('FidoCallerGuard did not run before this call');
  return caller;
});

const CLIENT_ADDRESS = 'x-servicefido-client-address';

/** The address of the client that an application names, as it was sent. */
const namedAddress = ({ headers, body }: Pick<Request, 'headers' | 'body'>): unknown =>
  headers[CLIENT_ADDRESS] ?? (isObject(body) ? (body['clientAddress'] ?? undefined) : undefined);

/** Applications pass on what their proxy wrote into `X-Forwarded-For`, which may have a port. */
const addressIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? forwardedAddress(value) : undefined;

/**
 * Address and browser of a call for its events, if `--event-clients` allows it. For a call of an application, whose own
 * address and program do not describe the client, the address that it names; `undefined` if it names none.
 */
export function eventClient(
  request: Request,
  { eventClients }: Pick<ServerOptions, 'eventClients'>,
): Client | undefined {
  if (!eventClients) return undefined;
  if (request.caller?.key) {
    const address = addressIn(namedAddress(request));
    return address === undefined ? undefined : { address, browser: null };
  }
  const { ip, headers } = request;
  if (ip === undefined) return undefined;
  return { address: plainAddress(ip), browser: browserAndSystem(headers['user-agent'] ?? '') };
}
