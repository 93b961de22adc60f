import { isIP } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { plainAddress } from '../platform/common/network/address-group.js';
import { browserAndSystem } from '../platform/common/browser-name.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import type { Client } from '../events/ledger.js';
import { isObject } from '../platform/validation/field-validator.js';

const CLIENT_ADDRESS = 'x-servicefido-client-address';

/** The address of the client that an application names, as it was sent. */
export const namedAddress = ({ headers, body }: Pick<Request, 'headers' | 'body'>): unknown =>
  headers[CLIENT_ADDRESS] ?? (isObject(body) ? (body['clientAddress'] ?? undefined) : undefined);

export const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && isIP(value) !== 0;

/** Reports the client of a call for its events, if `--event-clients` allows it. */
@Injectable()
export class EventClients {
  constructor(@Inject(serverOptions.KEY) private readonly options: ServerOptions) {}

  /**
   * Address and browser of a call. For a call of an application, whose own address and program do not describe the
   * client, the address that it names; `undefined` if it names none.
   */
  of(request: Request): Client | undefined {
    if (!this.options.eventClients) return undefined;
    if (request.caller?.key) {
      const named = namedAddress(request);
      return isAddress(named) ? { address: plainAddress(named), browser: null } : undefined;
    }
    const { ip, headers } = request;
    if (ip === undefined) return undefined;
    return { address: plainAddress(ip), browser: browserAndSystem(headers['user-agent'] ?? '') };
  }
}
